import { describe, expect, test } from 'vitest'
import { checkLoopFile, type JsonObject } from '../../protocol/index.ts'
import { buildType } from './build-type.ts'

const check = (keys: JsonObject) =>
  checkLoopFile({ loop: 'build', agent: 'claude', checks: { test: 'x' }, ...keys }, buildType, {
    nowMs: 0,
  })

describe('a loop file of type build', () => {
  test.each<[JsonObject, object]>([
    [{}, { review: { failures: 3 }, verification: { failures: 3 }, watchdog: { rewrites: 2 } }],
    [
      { review: true, watchdog: true },
      { review: { failures: 3 }, watchdog: { rewrites: 2 } },
    ],
    [
      { review: false, watchdog: false },
      { review: false, watchdog: false },
    ],
    [
      { review: { failures: 1 }, watchdog: { rewrites: 0 } },
      { review: { failures: 1 }, watchdog: { rewrites: 0 } },
    ],
    [
      { completion: { mode: 'exact' } },
      { completion: { token: '<promise>COMPLETE</promise>', mode: 'exact' } },
    ],
    [
      { spec: 'specs/a.md', plan: 'p.md', contextFiles: ['docs/b.md'] },
      { spec: 'specs/a.md', plan: 'p.md', contextFiles: ['docs/b.md'] },
    ],
  ])('%j means %j', (keys, settings) => {
    expect(check(keys)).toMatchObject({ type: 'file', file: { settings } })
  })

  test.each<[JsonObject, string]>([
    [{ spec: '../a.md' }, 'expected the path of a file'],
    [{ review: { failures: 0 } }, 'expected a whole number from 1 to 100'],
    [{ review: false, agents: { reviewer: 'codex' } }, 'with review: false there is no review'],
    [{ agent: 'repair' }, 'the repair agent cannot judge'],
    [{ completion: { mode: 'loose' } }, 'exact'],
    [{ planing: 'x' }, 'planing'],
  ])('%j is refused: %s', (keys, reason) => {
    const checked = check(keys)
    const reasons =
      checked.type === 'refused'
        ? checked.problems.map((one) => `${one.reason} ${one.path.join('.')}`)
        : []
    expect(reasons.join('\n')).toContain(reason)
  })

  test('asks the same agent for the review, unless another is named or there is no review', () => {
    const agents = (keys: JsonObject) => {
      const checked = check(keys)
      return checked.type === 'file' ? Object.keys(checked.file.agents) : checked
    }
    expect(agents({})).toEqual(['maker', 'reviewer'])
    expect(agents({ review: false })).toEqual(['maker'])
    expect(agents({ agent: 'repair', review: false })).toEqual(['maker'])
  })
})
