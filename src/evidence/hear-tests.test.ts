import { describe, expect, test } from 'vitest'
import { seededRandom } from '../testing/seeded-random.ts'
import { type Answer, type HeardTests, hearTests, type TestFile } from './hear-tests.ts'

const equal = 'assert.equal(f(1), 2)\n'
const old = (name: string, text = equal): TestFile => {
  const path = `test/${name}.test.js`
  return { path, text, was: path }
}

interface Project {
  /** Files whose failures nobody hears on the work. */
  readonly gagged?: readonly string[]
  /** Functions whose failures nobody hears on the work. */
  readonly functions?: RegExp
  /** Files that no check runs, before and after. */
  readonly notRun?: readonly string[]
  /** Files that fail on the base. */
  readonly failing?: readonly string[]
  readonly counts?: boolean
  /** So many failures each of them counts for. */
  readonly times?: number
  /** It ends at the first that fails. */
  readonly bails?: true
}

async function hear(
  tests: readonly TestFile[],
  project: Project = {},
): Promise<HeardTests & { readonly runs: number }> {
  const { gagged = [], notRun = [], failing = [], counts = true, functions } = project
  let runs = 0
  const heard = await hearTests({
    tests,
    random: seededRandom(1).next,
    run: (over, on) => {
      runs++
      const textOf = (path: string): string => new TextDecoder().decode(over.get(path)?.content)
      const isHeard = (path: string): boolean =>
        on === 'base' ||
        (!gagged.includes(path) && functions?.test(changedLine(textOf(path))) !== true)
      const planted = [...over].flatMap(([path, file]) => (file === null ? [] : [path]))
      const failed = new Set(planted.filter((path) => !notRun.includes(path) && isHeard(path)))
      if (on === 'base') for (const path of failing) if (over.get(path) !== null) failed.add(path)
      const all =
        project.bails === true ? Math.min(1, failed.size) : failed.size * (project.times ?? 1)
      const notice = failed.size > 0 ? 'noticed' : 'not-noticed'
      return Promise.resolve<Answer>({ notice, ...(counts ? { failed: all } : {}) })
    },
  })
  return { ...heard, runs }
}

const changedLine = (text: string): string =>
  text.split('\n').find((line) => !`${equal}${deep}`.includes(line)) ?? ''
const deep = 'assert.deepEqual(g(1), [2])\n'

const names = Array.from({ length: 20 }, (_, at) => `t${at}`)

describe('tests that are heard', () => {
  test('all at once, where the runner counts', async () => {
    const heard = await hear(names.map((name) => old(name)))
    expect(heard).toMatchObject({ isDeaf: false, runs: 1 })
    expect(heard.tried).toHaveLength(20)
  })

  test('one that ends at the first failure, or counts nothing, is asked one by one', async () => {
    const tests = names.map((name) => old(name))
    expect(await hear(tests, { counts: false })).toMatchObject({ isDeaf: false, runs: 5 })
    expect(await hear(tests, { bails: true })).toMatchObject({ isDeaf: false })
  })

  test('what no check runs, before as after, need not be', async () => {
    const tests = names.map((name) => old(name))
    const notRun = ['test/t3.test.js']
    expect(await hear(tests, { notRun })).toMatchObject({ isDeaf: false })
  })
})

describe('tests that are not heard', () => {
  test('one of many is found', async () => {
    const gagged = ['test/t13.test.js']
    const heard = await hear(
      names.map((name) => old(name)),
      { gagged },
    )
    expect(heard.isDeaf).toBe(true)
    expect(heard.tried.filter(({ noticed }) => !noticed).map(({ file }) => file)).toEqual(gagged)
  })

  test('nor is one that failed before: what would fail is what is silenced', async () => {
    const gagged = ['test/sum.test.js']
    expect((await hear([old('sum')], { gagged, failing: gagged })).isDeaf).toBe(true)
    expect((await hear([old('sum')], { gagged, failing: gagged, counts: false })).isDeaf).toBe(true)
  })

  test('one that fails twice does not stand for another', async () => {
    const gagged = ['test/sum.test.js']
    const tests = ['sum', 'a', 'b', 'c'].map((name) => old(name))
    expect((await hear(tests, { gagged, times: 2 })).isDeaf).toBe(true)
    expect((await hear(tests, { times: 2 })).isDeaf).toBe(false)
  })

  test('new tests do not stand for old ones', async () => {
    const fresh = ['a', 'b', 'c'].map((name) => ({ path: `test/${name}.test.js`, text: equal }))
    const gagged = ['test/sum.test.js']
    expect((await hear([...fresh, old('sum')], { gagged })).isDeaf).toBe(true)
  })

  test('a library that is changed in one function only', async () => {
    const tests = [old('sum', `${equal}${deep}`)]
    expect((await hear(tests, { functions: /assert\.equal/ })).isDeaf).toBe(true)
    expect((await hear(tests, { functions: /assert\.deepEqual/ })).isDeaf).toBe(true)
    expect((await hear(tests)).isDeaf).toBe(false)
  })

  test('one that moved to where nobody looks, as it was where it had been', async () => {
    const path = 'test/old/sum.test.js'
    const moved = { ...old('sum'), path }
    expect((await hear([moved, old('other')], { notRun: [path] })).isDeaf).toBe(true)
  })
})
