/** A backtest over 300 runs of a history that was made by hand: every count is known, and it takes seconds. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPolicy } from 'loopwright/policy'
import { backtest } from '#src/launch/policy/backtest.ts'
import { makeHistory } from '#src/testing/policy-history.ts'
import { atMost, type Suite } from '../bench/report.ts'

const runs = 300

export const policyBacktest: Suite = {
  area: 'policy',
  title: 'a backtest over 300 runs, with known counts',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
    try {
      const { journal, limit, expected } = await makeHistory(runs, join(folder, 'journal.db'))
      const text = `@id("limit") forbid (principal, action == Action::"iterate", resource)
        when { context.iteration > ${limit} };
        @id("no-push") forbid (principal, action == Action::"callTool", resource == Tool::"push");`
      const beganMs = performance.now()
      const policy = await createPolicy([{ file: 'limit.cedar', text, mode: 'enforce' }])
      const { changed, ...counts } = await backtest(journal, policy)
      const seconds = (performance.now() - beganMs) / 1000
      await journal.close()
      const isExact = JSON.stringify(counts) === JSON.stringify(inOrder(expected))
      const isListed = changed.length === expected.stopped
      const { stopped, wronglyBlocked } = counts
      const detail = `${stopped} of ${runs} would have been stopped, ${wronglyBlocked} wrongly`
      return [
        atMost('policy.backtest-wrong-counts', isExact && isListed ? 0 : 1, 0, '', detail),
        atMost('policy.backtest-time', seconds, 5, 's'),
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const inOrder = ({
  runs: all,
  stopped,
  wronglyBlocked,
  saved,
}: Awaited<ReturnType<typeof makeHistory>>['expected']): object => ({
  runs: all,
  stopped,
  wronglyBlocked,
  denied: 0,
  saved,
})
