/** The open questions of all runs: a list and, at a terminal, prompts to answer them. */

import type { InboxQuestion } from '../client/index.ts'
import { isLoopError, levelNames } from '../loop/index.ts'
import type { EscalatedRound, LevelEntry } from '../protocol/api/index.ts'
import { howToAnswer, promptFor } from './ask.ts'
import type { Runs } from './connection/runs.ts'
import { plural, renderSpan } from './display/amounts.ts'
import { visible, visibleText } from './display/render.ts'
import { wrapped } from './display/wrap.ts'
import { type Session, who } from './session.ts'
import { shellWord } from './shell-word.ts'

export async function answerInbox(runs: Runs, session: Session): Promise<void> {
  const { json, print, terminal } = session
  let asked = await runs.inbox()
  if (json) {
    for (const one of asked) print(one, String)
    return
  }
  const changes = await recentChanges(runs)
  const { items: escalated } = await runs.escalations()
  const others = [...escalated.map(renderEscalated), ...changes.map(renderChange)]
  print(asked, () =>
    [renderInbox(asked, session, Date.now(), others.length > 0), ...others].join('\n'),
  )
  if (!terminal.asks) return
  while (asked.length > 0) {
    const chosen = await choose(asked)
    if (chosen === undefined) return
    await answer(runs, chosen)
    asked = await runs.inbox()
  }
  process.stdout.write('Inbox empty.\n')
}

/** Levels that were lost, and levels that wait for a person. */
async function recentChanges(runs: Pick<Runs, 'levelChanges'>): Promise<readonly LevelEntry[]> {
  const { items } = await runs.levelChanges({ limit: 100 })
  const isNewest = ({ loop, repository, kind }: LevelEntry, at: number): boolean =>
    items.findIndex(
      (one) => one.loop === loop && one.repository === repository && one.kind === kind,
    ) === at
  const sinceMs = Date.now() - recentMs
  return items.filter(
    (one, at) =>
      isNewest(one, at) &&
      (one.cause === 'proposed' || (one.cause === 'escape' && one.atMs >= sinceMs)),
  )
}

const recentMs = 7 * 86_400_000

/** No question is open: allowing would not help. */
function renderEscalated({ run, loop, reason, branch }: EscalatedRound): string {
  const work = branch === undefined ? '' : ` Its work is on ${branch}.`
  return visible(
    `Escalated: ${run} of ${loop}: ${reason}.${work} See: loopctl inspect ${shellWord(run)}`,
  )
}

function renderChange({ cause, loop, kind, from, level, reason }: LevelEntry): string {
  const what =
    cause === 'proposed'
      ? `${reason}. Accept it: loopctl levels accept ${loop} --kind ${kind}`
      : `${levelNames[from]} became ${levelNames[level]}: ${reason}. See: loopctl levels ${loop}`
  return visible(`Level of ${loop} for ${kind}: ${what}`)
}

export function renderInbox(
  asked: readonly InboxQuestion[],
  { hint = String, terminal }: Pick<Session, 'terminal'> & Partial<Pick<Session, 'hint'>>,
  nowMs: number,
  hasOthers = false,
): string {
  if (asked.length === 0) return hasOthers ? 'No open question.' : 'Inbox empty.'
  return asked
    .map((one, at) => {
      const left = `${renderSpan(Math.max(0, one.deadlineAtMs - nowMs))} left`
      const head = `${at + 1}. ${terminal.style.bold(visible(one.run.name))}  ${left}`
      const room = terminal.live ? terminal.width() - 4 : Number.POSITIVE_INFINITY
      const text = visibleText(one.question.text.trimEnd())
        .split('\n')
        .flatMap((line) => (line.length <= room ? [line] : wrapped(line, room)))
      const shown = renderEvidence(one)
      const how = terminal.asks ? [] : hint(howToAnswer(one.run.name, one)).split('\n')
      return [head, ...[...text, ...shown, ...how].map((line) => `   ${line}`)].join('\n')
    })
    .join('\n')
}

/** The checks and the diff that a question is based on; what happened is in its text. */
function renderEvidence({ run, question }: InboxQuestion): readonly string[] {
  const { checks = [], diff } = question.evidence ?? {}
  const files = diff?.files === undefined ? 'the changes' : plural(diff.files, 'changed file')
  return [
    ...checks.flatMap(({ check, status, output = '' }) => [
      visible(`check ${check}: ${status}`),
      ...(output.trim() === '' ? [] : visibleText(output.trimEnd()).split('\n')).map(
        (line) => `  > ${line}`,
      ),
    ]),
    ...(diff === undefined ? [] : [visible(`${files}: loopctl diff ${shellWord(run.name)}`)]),
  ]
}

/** A single question is chosen at once. Undefined: the user wants to stop. */
async function choose(asked: readonly InboxQuestion[]): Promise<InboxQuestion | undefined> {
  if (asked.length === 1) return asked[0]
  const { isCancel, select } = await import('@clack/prompts')
  const chosen = await select({
    message: 'Which question do you want to answer?',
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
  // Ctrl-C answers nothing and returns to the list, where a second Ctrl-C exits.
  if (text === undefined) process.exit(130)
  try {
    await runs.answer(run.id, id, text, who())
  } catch (error) {
    // Answered elsewhere meanwhile, or the run continued without an answer.
    if (!isLoopError(error)) throw error
    process.stdout.write(`${visible(error.message)}\n`)
  }
}
