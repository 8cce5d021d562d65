import { describe, expect, test } from 'vitest'
import type { Check, CheckContext } from '../../engine/index.ts'
import { type Baseline, signatureOf } from '../../evidence/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { type AskBaseline, withExisting } from './existing-failures.ts'

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

const fails = (failed: number, output = `${failed} failed`): Check =>
  Object.assign(
    async () =>
      ({
        kind: 'command',
        status: 'not-met',
        output,
        counts: { passed: 5, failed, skipped: 0 },
      }) as const,
    { timeoutMs: 1000, fingerprint: 'f' },
  )

const before = (failed: number): Baseline => ({
  status: 'not-met',
  signature: signatureOf('x'),
  counts: { passed: 5, failed, skipped: 0 },
})

async function answer(check: Check, mayFail: boolean, ask: AskBaseline, tree = changed) {
  const checks = withExisting({ it: check }, mayFail ? ['it'] : [], ask)
  return checks['it']?.(context(tree))
}

describe('a check that failed before the run began', () => {
  test('may go on failing where that is allowed, as long as it gets no worse', async () => {
    const two: AskBaseline = async () => before(2)
    expect(await answer(fails(2), true, two)).toMatchObject({ existing: true, allowed: true })
    expect(await answer(fails(1), true, two)).toMatchObject({ existing: true, allowed: true })
    const worse = await answer(fails(3), true, two)
    expect(worse).toMatchObject({ existing: true, status: 'not-met' })
    expect(worse).not.toHaveProperty('allowed')
  })

  test('is known to have on the very files that the run began with, and nothing is asked', async () => {
    const never: AskBaseline = () => Promise.reject(new Error('asked'))
    const found = await answer(fails(2), false, never, began)
    expect(found).toMatchObject({ existing: true })
    expect(found).not.toHaveProperty('allowed')
    expect(await answer(fails(2), true, never, began)).toMatchObject({ allowed: true })
    // Where nothing depends on it, it is not found out.
    expect(await answer(fails(2), false, never)).not.toHaveProperty('existing')
  })

  test('is asked about once, and has no excuse when nobody can tell', async () => {
    let asked = 0
    const counting: AskBaseline = async () => {
      asked += 1
      return before(2)
    }
    const { it } = withExisting({ it: fails(2) }, ['it'], counting)
    await it?.(context(changed))
    await it?.(context(changed))
    expect(asked).toBe(1)
    const broken: AskBaseline = () => Promise.reject(new Error('no checkout'))
    expect(await answer(fails(2), true, broken)).not.toHaveProperty('existing')
    const passed: AskBaseline = async () => ({ status: 'met', signature: '' })
    expect(await answer(fails(2), true, passed)).not.toHaveProperty('existing')
  })

  test('is the same check for whoever re-uses its answers', () => {
    const { it } = withExisting({ it: fails(1) }, [], async () => undefined)
    expect([it?.fingerprint, it?.timeoutMs]).toEqual(['f', 301_000])
  })
})
