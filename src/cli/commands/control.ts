/** Commands that control runs: inbox, pause, stop, cancel. */

import type { Command } from 'commander'
import type { Runs } from '../connection/runs.ts'
import { visible } from '../display/render.ts'
import { answerInbox } from '../inbox.ts'
import { who, withRuns } from '../session.ts'

export function addControlCommands(program: Command): void {
  program
    .command('inbox')
    .description('list open questions of all runs, and answer them')
    .action(() =>
      withRuns(program, answerInbox, ({ json, print }) => {
        if (!json) print([], () => 'Inbox empty.')
      }),
    )
  for (const { name, description, decision, at, later } of decisions) {
    program
      .command(`${name} <run>`)
      .description(description)
      .action((run: string) =>
        withRuns(program, async (runs, { print }) => {
          await runs.sendDecision(run, decision, who())
          const { status, held } = (await runs.inspect(run)).run
          const note = held ? at : `${status}${later}`
          print({ run, told: name, status, held }, () => visible(`${name} ${run}: ${note}`))
        }),
      )
  }
}

interface DecisionCommand {
  readonly name: string
  readonly description: string
  readonly decision: Parameters<Runs['sendDecision']>[1]
  /** What happens to a running run. */
  readonly at: string
  /** What happens to a run that no process drives. */
  readonly later: string
}

const decisions: readonly DecisionCommand[] = [
  {
    name: 'pause',
    description: 'pause a run after its current step',
    decision: { type: 'pause' },
    at: 'pauses after the current step',
    later: ' until it is resumed',
  },
  {
    name: 'stop',
    description: 'stop a run after its current iteration',
    decision: { type: 'stop', reason: 'loopctl stop' },
    at: 'ends after the current iteration',
    later: '; resuming it would finish the open iteration (to end it now, use cancel)',
  },
  {
    name: 'cancel',
    description: 'cancel a run immediately',
    decision: { type: 'cancel', reason: 'loopctl cancel' },
    at: 'ends now',
    later: '',
  },
]
