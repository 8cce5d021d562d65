import { describe, expect, test } from 'vitest'
import type { TreeId } from '../../loop/index.ts'
import { seededRandom } from '../../testing/seeded-random.ts'
import type { Overlay } from '../parts.ts'
import {
  type BadWork,
  type CalibrateRequest,
  type CalibrationOutcome,
  type CheckAnswer,
  calibrate,
} from './calibrate.ts'
import { type CalibrationReport, checkDigest } from './calibration.ts'
import { harmlessChanges } from './harmless-changes.ts'

const readOverlay = (overlay: Overlay): string =>
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
  ask: (overlay) => Promise.resolve(new Map(Object.entries(answer(readOverlay(overlay))))),
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

function requireReport(calibrated: CalibrationOutcome): CalibrationReport {
  if (calibrated.type === 'calibrated') return calibrated.report
  throw new Error(calibrated.type)
}

describe('calibration', () => {
  test('counts false accepts and false rejects, per check and for all together', async () => {
    const report = requireReport(
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

  test('is not possible if checks fail on the tree itself', async () => {
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

  test('counts a judge that rejects the tree itself as an error of the judge', async () => {
    const report = requireReport(
      await calibrate(
        request((text) => ({
          test: text.startsWith('bad') ? 'rejects' : 'accepts',
          judge: 'rejects',
        })),
      ),
    )
    expect(report.checks[1]?.falseRejects).toMatchObject({ value: 1, n: 5 })
  })

  test('ignores unknown answers, which produce no survivors', async () => {
    const report = requireReport(
      await calibrate(request(() => ({ test: 'accepts', judge: 'unknown' }))),
    )
    expect(report.checks[1]?.falseAccepts).toEqual({ count: 0, value: 0, low: 0, high: 1, n: 0 })
    expect(report.together.falseAccepts.n).toBe(0)
    expect(report.survivors).toEqual([])
  })

  test('measures some good and some bad work even if a limit ends it early', async () => {
    let rounds = 0
    const report = requireReport(
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

  test('reports fewer defects than requested, and has a separate result for none', async () => {
    const all = () => ({ test: 'accepts', judge: 'accepts' }) as const
    const few = await calibrate(request(all, { defects: [bad(1), bad(2)].values() }))
    expect(requireReport(few)).toMatchObject({ planted: 2, stopped: 'defects', good: 5 })
    expect(await calibrate(request(all, { defects: [].values() }))).toEqual({
      type: 'nothing-to-plant',
    })
  })
})

test('a different program, tool or prompt is a different check', () => {
  const check = { kind: 'command', command: ['npm', 'test'], toolDigest: 'a' } as const
  expect(checkDigest(check)).toBe(checkDigest({ ...check }))
  expect(checkDigest({ ...check, toolDigest: 'b' })).not.toBe(checkDigest(check))
  expect(checkDigest({ ...check, command: ['npm test'] })).not.toBe(checkDigest(check))
})

test('a harmless change is a comment at the end of a source file', () => {
  const files = [
    { path: 'a.js', text: 'a()\n' },
    { path: 'b.py', text: 'b()\n', kind: 'executable' as const },
    { path: 'c.js', text: 'c()' },
    { path: 'd.md', text: 'd\n' },
  ]
  const changes = harmlessChanges(files, seededRandom(1).next, 9)
  expect(changes.map(({ overlay }) => readOverlay(overlay)).toSorted()).toEqual([
    'a()\n// End of file.\n',
    'b()\n# End of file.\n',
  ])
  expect(changes.find(({ what }) => what.endsWith('b.py'))?.overlay.get('b.py')?.kind).toBe(
    'executable',
  )
  expect(harmlessChanges(files, seededRandom(1).next, 1)).toHaveLength(1)
})
