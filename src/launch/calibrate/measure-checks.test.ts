import { expect, test } from 'vitest'
import type { TreeReader } from '../../engine/index.ts'
import { type OpenCheck, type Overlay, plainPlanter } from '../../evidence/index.ts'
import type { CheckStatus, TreeId } from '../../loop/index.ts'
import { seededRandom } from '../../testing/seeded-random.ts'
import { type MeasureRequest, measureChecks } from './measure-checks.ts'

const files: Readonly<Record<string, string>> = {
  'src/a.py': 'def a(x):\n    return x > 1\n',
  'src/b.py': 'def b(x):\n    return x < 2 and x > 0\n',
  'test/test_a.py': 'assert a(2) == 1\n',
  'README.md': 'a < b\n',
  'vendor/c.py': 'c = 1 < 2\n',
}

const reader: TreeReader = {
  list: () =>
    Promise.resolve(
      new Map(Object.entries(files).map(([path, content]) => [path, { content, kind: 'file' }])),
    ),
  read: (_, path) => Promise.resolve(Buffer.from(files[path] ?? '')),
  patch: () => Promise.resolve(''),
}

const check = (name: string, kind: OpenCheck['kind'] = 'command'): OpenCheck => ({
  name,
  kind,
  run: () => Promise.reject(new Error('asked directly')),
  command: [name],
  toolDigest: name,
  existing: 'fix',
  outputs: name === 'build' ? ['dist'] : [],
  names: [],
})

interface Reset {
  readonly over: readonly string[]
  readonly keep: readonly string[]
}

function measure(
  answer: (name: string, over: Overlay) => CheckStatus,
  more: Partial<MeasureRequest> = {},
): { readonly resets: Reset[]; readonly done: ReturnType<typeof measureChecks> } {
  const resets: Reset[] = []
  const { next } = seededRandom(3)
  const done = measureChecks({
    loop: 'fix',
    tree: 'tree' as TreeId,
    place: {
      checks: [check('build'), check('test')],
      checkout: {
        path: '/nonexistent',
        reset: (_, { over, keep } = {}) => {
          resets.push({ over: [...(over?.keys() ?? [])], keep: [...(keep ?? [])] })
          return Promise.resolve()
        },
        written: () => Promise.resolve([]),
        remove: () => Promise.resolve(),
      },
    },
    reader,
    planter: plainPlanter,
    isSealed: () => false,
    isTest: (path) => path.startsWith('test/'),
    commits: [],
    runCheck: ({ name }, over) => Promise.resolve({ status: answer(name, over) }),
    seed: 3,
    random: next,
    defects: 3,
    timeMs: 60_000,
    money: { spentMicros: () => 0, isOver: () => false },
    now: () => 0,
    signal: new AbortController().signal,
    ...more,
  })
  return { resets, done }
}

test('only sources are planted in, each check starts on a reset tree, and outputs stay for the next check', async () => {
  const { resets, done } = measure((name, over) =>
    name === 'test' && over.has('src/a.py') ? 'not-met' : 'met',
  )
  const calibrated = await done
  const touched = new Set(resets.flatMap(({ over }) => over))
  expect([...touched].toSorted()).toEqual(['src/a.py', 'src/b.py'])
  expect(resets.map(({ keep }) => keep.join())).toEqual(
    resets.map((_, index) => (index % 2 === 0 ? '' : 'dist')),
  )
  // Three defects, the tree three times, a comment in either file: one of these was rejected.
  expect(calibrated).toMatchObject({
    type: 'calibrated',
    report: { planted: 3, good: 5, turnedAway: [{ checks: ['test'] }] },
  })
})

test('a judge that fails has no answer; a check that times out rejects', async () => {
  const place = {
    checks: [check('test'), check('judge', 'judge')],
    checkout: { path: '', reset: async () => {}, written: async () => [], remove: async () => {} },
  }
  const { done } = measure(
    (name, over) => (name === 'judge' ? 'error' : over.size > 0 ? 'timeout' : 'met'),
    { place },
  )
  const calibrated = await done
  expect(calibrated).toMatchObject({
    report: {
      checks: [
        { falseAccepts: { value: 0, n: 3 }, falseRejects: { count: 2, n: 5 } },
        { falseAccepts: { n: 0 }, falseRejects: { n: 0 } },
      ],
    },
  })
})

test('a round that would end too late is not started, and the cost limit ends the measurement', async () => {
  let nowMs = 0
  const slow = measure(
    () => {
      nowMs += 500
      return 'met'
    },
    { now: () => nowMs, timeMs: 3500 },
  )
  expect(await slow.done).toMatchObject({ report: { stopped: 'time', durationMs: 3000 } })
  const { done } = measure(() => 'met', { money: { spentMicros: () => 11, isOver: () => true } })
  expect(await done).toMatchObject({ report: { stopped: 'cost', planted: 0, good: 1 } })
})

test('an abort ends it between two checks', async () => {
  const stop = new AbortController()
  const { done, resets } = measure(
    () => {
      stop.abort(new Error('stopped'))
      return 'met'
    },
    { signal: stop.signal },
  )
  await expect(done).rejects.toThrow('stopped')
  expect(resets).toHaveLength(1)
})
