/** `loopctl report`: what all loops did in a period. */

import type { Command } from 'commander'
import { renderDigest } from '../display/digest-view.ts'
import { duration } from '../run-options.ts'
import { withRuns } from '../session.ts'

const dayMs = 86_400_000

export function addReport(program: Command): void {
  program
    .command('report')
    .description('sum up what all loops did: rounds, cost, questions')
    .option('--since <duration>', 'period until now, such as 12h or 7d (default: 1d)', duration)
    .action(({ since = dayMs }: { readonly since?: number }) =>
      withRuns(program, async (runs, { print }) => {
        const digest = await runs.digest({ since: Math.max(0, Date.now() - since) })
        print(digest, () => renderDigest(digest))
      }),
    )
}
