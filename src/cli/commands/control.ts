/** Commands that send a decision to a run: answer, inbox, pause, stop, cancel. */

import type { Command } from 'commander'
import type { Inspected, Runs } from '../connection/runs.ts'
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
  program
    .command('answer <run> <question> <answer>')
    .description('answer a question of a run')
    .action((run: string, question: string, answer: string) =>
      withRuns(program, async (runs, { hint, print }) => {
        await runs.answer(run, question, answer, who())
        const { run: row, queue } = await runs.inspect(run)
        const { name, status, held } = row
        // A run that is not driven does not read the answer until it is resumed.
        const isDriven = held || queue !== undefined
        const next = isDriven
          ? ''
          : `; ${name} is not running: ${await describeHowToResume(runs, row)}`
        print({ run, answered: question, status, held }, () =>
          visible(`answered ${question}${hint(next)}`),
        )
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

/** A run that a stopped daemon was driving continues with the next daemon. */
async function describeHowToResume(runs: Runs, { id, name }: Inspected['run']): Promise<string> {
  const isQueued = (await runs.queue()).some(({ run }) => run === id)
  return isQueued
    ? 'it resumes when the daemon starts: loopctl daemon start'
    : `to resume it: loopctl resume ${name}`
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
