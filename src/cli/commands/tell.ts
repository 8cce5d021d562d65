/** Commands that tell a run something, whoever drives it: answer, inbox, pause, stop, cancel. */

import type { Command } from 'commander'
import type { Inspected, Runs } from '../connection/runs.ts'
import { visible } from '../display/render.ts'
import { answerInbox } from '../inbox.ts'
import { who, withRuns } from '../session.ts'

export function addTelling(program: Command): void {
  program
    .command('inbox')
    .description('what people are asked, by all runs; at a terminal, answer it')
    .action(() =>
      withRuns(program, answerInbox, ({ json, print }) => {
        if (!json) print([], () => 'Nobody is asked anything.')
      }),
    )
  program
    .command('answer <run> <question> <answer>')
    .description('answer what a run asks (the question by its name, or as inspect shows it)')
    .action((run: string, question: string, answer: string) =>
      withRuns(program, async (runs, { hint, print }) => {
        await runs.answer(run, question, answer, who())
        const { run: row, queue } = await runs.inspect(run)
        const { name, status, held } = row
        // Nobody would notice that the answer waits as well.
        const isDriven = held || queue !== undefined
        const next = isDriven ? '' : `; ${name} is not running: ${await howItGoesOn(runs, row)}`
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
          await runs.tell(run, decision, who())
          const { status, held } = (await runs.inspect(run)).run
          const note = held ? at : `it is ${status} now${later}`
          print({ run, told: name, status, held }, () => visible(`${name} ${run}: ${note}`))
        }),
      )
  }
}

/** One that a daemon left is taken up by the next. */
async function howItGoesOn(runs: Runs, { id, name }: Inspected['run']): Promise<string> {
  const isQueued = (await runs.queue()).some(({ run }) => run === id)
  return isQueued
    ? 'it continues when the daemon runs: loopctl daemon start'
    : `to resume it: loopctl resume ${name}`
}

interface DecisionCommand {
  readonly name: string
  readonly description: string
  readonly decision: Parameters<Runs['tell']>[1]
  /** What happens to a run that is at work. */
  readonly at: string
  /** And to one that nobody drives. */
  readonly later: string
}

const decisions: readonly DecisionCommand[] = [
  {
    name: 'pause',
    description: 'finish the step in flight, then pause',
    decision: { type: 'pause' },
    at: 'it finishes the step in flight, then pauses',
    later: ', and goes on when it is resumed',
  },
  {
    name: 'stop',
    description: 'end after the iteration under way',
    decision: { type: 'stop', reason: 'loopctl stop' },
    at: 'it ends after the iteration under way',
    later: '; an open iteration is finished when it is next driven (use cancel to end it now)',
  },
  {
    name: 'cancel',
    description: 'end now',
    decision: { type: 'cancel', reason: 'loopctl cancel' },
    at: 'it ends now',
    later: '',
  },
]
