import { describe, expect, test } from 'vitest'
import type { TreeId } from '../../loop/index.ts'
import { seededRandom } from '../../testing/seeded-random.ts'
import type { Overlay } from '../parts.ts'
import {
  type BadWork,
  type Calibrated,
  type CalibrateRequest,
  type CheckAnswer,
  calibrate,
} from './calibrate.ts'
import { type CalibrationReport, checkDigest } from './calibration.ts'
import { harmlessChanges } from './harmless-changes.ts'

const textOf = (overlay: Overlay): string =>
  [...overlay.values()].map((file) => new TextDecoder().decode(file?.content)).join('')

const put = (text: string): Overlay =>
  new Map([['a.js', { content: new TextEncoder().encode(text), kind: 'file' }]])

const bad = (number: number): BadWork => ({
  source: number % 5 === 0 ? 'reverted-fix' : 'planted',
  file: 'a.js',
  line: number,
  description: `defect ${number}`,
  overlay: put(`bad ${number}`),
})

const request = (
  answer: (text: string) => Readonly<Record<string, CheckAnswer>>,
  more: Partial<CalibrateRequest> = {},
): CalibrateRequest => ({
  loop: 'fix',
  tree: 'tree' as TreeId,
  seed: 1,
  checks: [
    { name: 'test', kind: 'command', digest: 'd1' },
    { name: 'judge', kind: 'judge', digest: 'd2' },
  ],
  ask: (overlay) => Promise.resolve(new Map(Object.entries(answer(textOf(overlay))))),
  harmless: [
    { what: 'comment 1', overlay: put('good 1') },
    { what: 'comment 2', overlay: put('good 2') },
  ],
  defects: Array.from({ length: 20 }, (_, index) => bad(index + 1)).values(),
  defectsMax: 20,
  isOver: () => undefined,
  now: () => 5,
  spent: () => 7,
  ...more,
})

function reportOf(calibrated: Calibrated): CalibrationReport {
  if (calibrated.type === 'calibrated') return calibrated.report
  throw new Error(calibrated.type)
}

describe('calibration', () => {
  test('counts what passes and what is turned away, for each and for all', async () => {
    const report = reportOf(
      await calibrate(
        request((text) => ({
          test: /bad (1|2|3)$/.test(text) || !text.startsWith('bad') ? 'accepts' : 'rejects',
          judge: /bad (1|20)$|good 2/.test(text) ? 'rejects' : 'accepts',
        })),
      ),
    )
    const [check, judge] = report.checks
    expect(check?.falseAccepts).toMatchObject({ value: 3 / 20, n: 20 })
    expect(check?.falseRejects).toMatchObject({ value: 0, low: 0, n: 5 })
    expect(judge?.falseAccepts).toMatchObject({ value: 18 / 20, n: 20 })
    expect(judge?.falseRejects).toMatchObject({ value: 1 / 5, n: 5 })
    expect(report.together.falseAccepts).toMatchObject({ value: 2 / 20, n: 20 })
    expect(report.together.falseRejects).toMatchObject({ value: 1 / 5, n: 5 })
    expect(report.survivors.map(({ line }) => line)).toEqual([2, 3])
    expect(report.turnedAway).toEqual([{ what: 'comment 2', checks: ['judge'] }])
    expect(report).toMatchObject({ planted: 16, revertedFixes: 4, good: 5, costMicros: 7 })
    expect(report.stopped).toBeUndefined()
  })

  test('checks that fail on the tree itself have nothing to be measured', async () => {
    const asked: string[] = []
    const calibrated = await calibrate(
      request((text) => {
        asked.push(text)
        return { test: 'rejects', judge: 'accepts' }
      }),
    )
    expect(calibrated).toEqual({ type: 'not-good', checks: ['test'] })
    expect(asked).toEqual([''])
  })

  test('a judge that turns away the tree itself errs, and that is counted', async () => {
    const report = reportOf(
      await calibrate(
        request((text) => ({
          test: text.startsWith('bad') ? 'rejects' : 'accepts',
          judge: 'rejects',
        })),
      ),
    )
    expect(report.checks[1]?.falseRejects).toMatchObject({ value: 1, n: 5 })
  })

  test('an answer that is none counts for nobody, and no survivor comes of it', async () => {
    const report = reportOf(await calibrate(request(() => ({ test: 'accepts', judge: 'unknown' }))))
    expect(report.checks[1]?.falseAccepts).toEqual({ count: 0, value: 0, low: 0, high: 1, n: 0 })
    expect(report.together.falseAccepts.n).toBe(0)
    expect(report.survivors).toEqual([])
  })

  test('a limit that is met early leaves some of both', async () => {
    let rounds = 0
    const report = reportOf(
      await calibrate(
        request(() => ({ test: 'accepts', judge: 'accepts' }), {
          isOver: () => (rounds > 11 ? 'time' : undefined),
          onRound: (done) => {
            rounds = done
          },
        }),
      ),
    )
    expect(report.stopped).toBe('time')
    expect(report.good + report.planted + report.revertedFixes).toBe(12)
    expect(report.good).toBeGreaterThan(2)
  })

  test('fewer defects than wanted are said, and none at all is an answer of its own', async () => {
    const all = () => ({ test: 'accepts', judge: 'accepts' }) as const
    const few = await calibrate(request(all, { defects: [bad(1), bad(2)].values() }))
    expect(reportOf(few)).toMatchObject({ planted: 2, stopped: 'defects', good: 5 })
    expect(await calibrate(request(all, { defects: [].values() }))).toEqual({
      type: 'nothing-to-plant',
    })
  })
})

test('another program, tool or prompt is another check', () => {
  const check = { kind: 'command', describes: ['npm', 'test'], toolDigest: 'a' } as const
  expect(checkDigest(check)).toBe(checkDigest({ ...check }))
  expect(checkDigest({ ...check, toolDigest: 'b' })).not.toBe(checkDigest(check))
  expect(checkDigest({ ...check, describes: ['npm test'] })).not.toBe(checkDigest(check))
})

test('harmless is a comment at the end of code', () => {
  const files = [
    { path: 'a.js', text: 'a()\n' },
    { path: 'b.py', text: 'b()\n', kind: 'executable' as const },
    { path: 'c.js', text: 'c()' },
    { path: 'd.md', text: 'd\n' },
  ]
  const changes = harmlessChanges(files, seededRandom(1).next, 9)
  expect(changes.map(({ overlay }) => textOf(overlay)).toSorted()).toEqual([
    'a()\n// End of file.\n',
    'b()\n# End of file.\n',
  ])
  expect(changes.find(({ what }) => what.endsWith('b.py'))?.overlay.get('b.py')?.kind).toBe(
    'executable',
  )
  expect(harmlessChanges(files, seededRandom(1).next, 1)).toHaveLength(1)
})
