import { describe, expect, test } from 'vitest'
import type { Check, CheckContext } from '../../engine/index.ts'
import { type BaseResult, toBaseResult } from '../../evidence/index.ts'
import type { ExistingFailure, TreeId } from '../../loop/index.ts'
import { type AskBase, withExisting } from './existing-failures.ts'

const [began, changed] = ['base', 'changed'] as unknown as [TreeId, TreeId]

const context = (tree: TreeId): CheckContext => ({
  workspace: undefined,
  iteration: 1,
  tree,
  base: began,
  signal: new AbortController().signal,
  attempt: 1,
  spend: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  work: () => Promise.reject(new Error('nobody works')),
  callTool: () => Promise.reject(new Error('no tools')),
})

const fails = (what: string): Check =>
  Object.assign(
    async () => ({ kind: 'command', status: 'not-met', output: `${what} failed` }) as const,
    { timeoutMs: 1000, fingerprint: 'f' },
  )

const before = (what: string): BaseResult =>
  toBaseResult({
    result: { status: 'not-met', output: `${what} failed` },
    runners: [],
    problems: [],
    replaced: [],
    startedAtMs: 0,
    endedAtMs: 5,
  })

async function answer(check: Check, existing: ExistingFailure, ask: AskBase, tree = changed) {
  const checks = withExisting({ it: check }, { it: existing }, ask)
  return checks['it']?.(context(tree))
}

describe('a check that failed before the run began', () => {
  test('may keep failing if that is allowed, as long as it gets no worse', async () => {
    const ask: AskBase = async () => before('2 of sum')
    expect(await answer(fails('2 of sum'), 'allow', ask)).toMatchObject({ allowed: true })
    // Times and other numbers differ from run to run.
    expect(await answer(fails('3 of sum'), 'allow', ask)).toMatchObject({
      existing: true,
      allowed: true,
    })
    const worse = await answer(fails('clamp'), 'allow', ask)
    expect(worse).toMatchObject({ existing: true, status: 'not-met' })
    expect(worse).not.toHaveProperty('allowed')
  })

  test('is recognized from a result on the exact base files, without asking', async () => {
    const never: AskBase = () => Promise.reject(new Error('asked'))
    const found = await answer(fails('sum'), 'fix', never, began)
    expect(found).toMatchObject({ existing: true })
    expect(found).not.toHaveProperty('allowed')
    expect(await answer(fails('sum'), 'allow', never, began)).toMatchObject({ allowed: true })
    // If nothing depends on it, it is not determined.
    expect(await answer(fails('sum'), 'fix', never)).not.toHaveProperty('existing')
  })

  test('is marked if a person may be asked about it', async () => {
    const ask: AskBase = async () => before('sum')
    const same = await answer(fails('sum'), 'ask', ask)
    expect(same).toMatchObject({ existing: true, asBefore: true })
    expect(same).not.toHaveProperty('allowed')
    expect(await answer(fails('clamp'), 'ask', ask)).not.toHaveProperty('asBefore')
  })

  test('is asked about once, and is not excused if the answer is unknown', async () => {
    let asked = 0
    const counting: AskBase = async () => {
      asked += 1
      return before('sum')
    }
    const { it } = withExisting({ it: fails('sum') }, { it: 'allow' }, counting)
    await it?.(context(changed))
    await it?.(context(changed))
    expect(asked).toBe(1)
    const broken: AskBase = () => Promise.reject(new Error('no checkout'))
    expect(await answer(fails('sum'), 'allow', broken)).not.toHaveProperty('existing')
    const passed: AskBase = async () => ({ ...before('sum'), status: 'met' })
    expect(await answer(fails('sum'), 'allow', passed)).not.toHaveProperty('existing')
  })

  test('is the same check if answers are reused', () => {
    const { it } = withExisting({ it: fails('sum') }, {}, async () => undefined)
    expect([it?.fingerprint, it?.timeoutMs]).toEqual(['f', 301_000])
  })
})
