// Backtests over a history that was made by hand, so that every count is known.

import { expect, test } from 'vitest'
import { createPolicy } from '../src/authority/policy/create-policy.ts'
import { backtest } from '../src/launch/policy/backtest.ts'
import { makeHistory } from '../src/testing/policy-history.ts'

const policyOf = (text: string) => createPolicy([{ file: 'new.cedar', text, mode: 'enforce' }])

test('counts what would have been stopped, saved and wrongly blocked', async () => {
  const { journal, limit, expected } = await makeHistory(30)
  const policy = await policyOf(`@id("limit")
    forbid (principal, action == Action::"iterate", resource)
    when { context.iteration > ${limit} };`)
  const { changed, ...counts } = await backtest(journal, policy)
  expect(counts).toEqual({ ...expected, denied: 0 })
  expect(changed).toHaveLength(expected.stopped)
  for (const { stopped } of changed) {
    expect(stopped).toMatchObject({ iteration: limit + 1, rules: ['limit'] })
  }
  await journal.close()
})

test('sees the tokens and the cost of that moment', async () => {
  const { journal, tokensEach, costEach } = await makeHistory(30)
  const policy = await policyOf(`@id("dollars")
    forbid (principal, action == Action::"iterate", resource)
    when { context.costMicros >= ${3 * costEach} && context.tokens >= ${3 * tokensEach} };`)
  const { changed } = await backtest(journal, policy)
  expect(new Set(changed.map(({ stopped }) => stopped?.iteration))).toEqual(new Set([4]))
  await journal.close()
})

test('counts tool calls that would have been denied, up to where the run would have stopped', async () => {
  const { journal, runsOf, limit } = await makeHistory(30)
  const noRun = `@id("no-run") forbid (principal == Agent::"maker", action, resource == Tool::"run");`
  const all = await backtest(journal, await policyOf(noRun))
  const iterations = runsOf.map(({ iterations: count }) => count)
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0)
  expect(all).toMatchObject({ stopped: 0, denied: sum(iterations) })
  const limited = `${noRun} @id("limit") forbid (principal, action == Action::"iterate", resource)
    when { context.iteration > ${limit} };`
  const some = await backtest(journal, await policyOf(limited))
  expect(some.denied).toBe(sum(iterations.map((count) => Math.min(count, limit))))
  await journal.close()
})

test('a policy that forbids nothing that happened changes nothing', async () => {
  const { journal } = await makeHistory(12)
  const policy = await policyOf(
    '@id("far") forbid (principal, action, resource) when { context.iteration > 9999 };',
  )
  expect(await backtest(journal, policy)).toEqual({
    runs: 12,
    stopped: 0,
    wronglyBlocked: 0,
    denied: 0,
    saved: { iterations: 0, tokens: 0, costMicros: 0, activeMs: 0 },
    changed: [],
  })
  await journal.close()
})
