/** `loopctl limits`: shows the limits of a run, or changes them. */

import type { Command } from 'commander'
import { describeLimits, describeOutcome, LoopError, listLimitUse } from '../../loop/index.ts'
import type { Inspected, Runs } from '../connection/runs.ts'
import { renderLimits } from '../display/limits-view.ts'
import { visible } from '../display/render.ts'
import { addLimitOptions, type LimitOptions, limitsFrom } from '../limit-options.ts'
import { who, withRuns } from '../session.ts'

interface ChangeOptions extends LimitOptions {
  readonly reason?: string
}

export function addLimits(program: Command): void {
  const limits = program
    .command('limits <run>')
    .description('show the limits of a run, or change them')
  addLimitOptions(limits)
    .option('--reason <text>', 'why the limits are changed; journaled with the change')
    .action((run: string, options: ChangeOptions) =>
      withRuns(program, async (runs, { print }) => {
        const changes = limitsFrom(options)
        const isChange = Object.keys(changes).length > 0
        if (!isChange && options.reason !== undefined) {
          const message = '--reason needs a limit to change, such as --iterations 200.'
          throw new LoopError('bad-request', message)
        }
        const changed = isChange ? await change(runs, run, changes, options.reason) : undefined
        const found = await runs.inspect(run)
        print({ ...toJson(run, found), ...(changed === undefined ? {} : { changed }) }, () =>
          [
            ...(changed === undefined ? [] : [describeChange(found, changes)]),
            renderLimits(found.state),
          ].join('\n'),
        )
      }),
    )
}

async function change(
  runs: Runs,
  run: string,
  limits: ReturnType<typeof limitsFrom>,
  reason: string | undefined,
): Promise<object> {
  requireNotEnded(await runs.inspect(run))
  const why = reason === undefined ? {} : { reason }
  const by = who()
  await runs.sendDecision(run, { type: 'change-limits', limits, ...why }, by)
  return { limits, by, ...why }
}

function requireNotEnded({ run: { name }, state: { outcome } }: Inspected): void {
  if (outcome === undefined) return
  throw new LoopError(
    'wrong-status',
    `Run "${name}" has ended (${describeOutcome(outcome)}), so its limits cannot change. ` +
      `To continue from its last checkpoint with other limits: loopctl fork ${name} --iterations 200`,
  )
}

/** A run that is driven applies the change before its next decision. */
function describeChange({ run }: Inspected, limits: ReturnType<typeof limitsFrom>): string {
  const when = run.held ? 'takes effect at the next decision' : `${run.status}; in effect`
  return visible(`limits ${run.name}: ${describeLimits(limits)} (${when})`)
}

const toJson = (run: string, { run: row, state }: Inspected): object => ({
  run,
  status: row.status,
  held: row.held,
  limits: state.limits,
  spent: state.spent,
  spentByRole: state.spentByRole,
  use: listLimitUse(state),
})
