/** Everything that people are asked, across runs: a list, and at a terminal a way to answer. */

import type { InboxQuestion } from '../client/index.ts'
import { isLoopError } from '../loop/index.ts'
import { howToAnswer, promptFor } from './ask.ts'
import type { Runs } from './connection/runs.ts'
import { renderSpan } from './display/amounts.ts'
import { visible, visibleText } from './display/render.ts'
import { wrapped } from './display/wrap.ts'
import { type Session, who } from './session.ts'

export async function answerInbox(runs: Runs, session: Session): Promise<void> {
  const { json, print, terminal } = session
  let asked = await runs.inbox()
  if (json) {
    for (const one of asked) print(one, String)
    return
  }
  print(asked, () => renderInbox(asked, session, Date.now()))
  if (!terminal.asks) return
  while (asked.length > 0) {
    const chosen = await choose(asked)
    if (chosen === undefined) return
    await answer(runs, chosen)
    asked = await runs.inbox()
  }
  process.stdout.write('Nobody is asked anything any more.\n')
}

export function renderInbox(
  asked: readonly InboxQuestion[],
  { hint = String, terminal }: Pick<Session, 'terminal'> & Partial<Pick<Session, 'hint'>>,
  nowMs: number,
): string {
  if (asked.length === 0) return 'Nobody is asked anything.'
  return asked
    .map((one, at) => {
      const left = `${renderSpan(Math.max(0, one.deadlineAtMs - nowMs))} left`
      const head = `${at + 1}. ${terminal.style.bold(visible(one.run.name))}  ${left}`
      const room = terminal.live ? terminal.width() - 4 : Number.POSITIVE_INFINITY
      const text = visibleText(one.question.text.trimEnd())
        .split('\n')
        .flatMap((line) => (line.length <= room ? [line] : wrapped(line, room)))
      const how = terminal.asks ? [] : hint(howToAnswer(one.run.name, one)).split('\n')
      return [head, ...[...text, ...how].map((line) => `   ${line}`)].join('\n')
    })
    .join('\n')
}

/** One is asked for at once; of several, one is chosen. Undefined: enough for now. */
async function choose(asked: readonly InboxQuestion[]): Promise<InboxQuestion | undefined> {
  if (asked.length === 1) return asked[0]
  const { isCancel, select } = await import('@clack/prompts')
  const chosen = await select({
    message: 'Which shall be answered?',
    options: asked.map((one, at) => ({
      value: at,
      label: `${at + 1}. ${visible(one.run.name)}`,
      hint: visible(one.question.text.split('\n', 1)[0] ?? ''),
    })),
  })
  return isCancel(chosen) ? undefined : asked[chosen]
}

async function answer(runs: Runs, { id, run, question }: InboxQuestion): Promise<void> {
  const text = await promptFor(question, new AbortController().signal)
  // Ctrl-C: nothing is answered, and whoever wants no more says so again.
  if (text === undefined) process.exit(130)
  try {
    await runs.answer(run.id, id, text, who())
  } catch (error) {
    // Somebody was faster, or the run has gone on without an answer.
    if (!isLoopError(error)) throw error
    process.stdout.write(`${visible(error.message)}\n`)
  }
}
