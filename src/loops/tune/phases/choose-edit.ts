/**
 * Analyze, decide and edit: three options, one of which a person picks, or which are raced. A person may also send the composer back
 * with their reasons, or skip the iteration.
 */

import type { Question } from '../../../loop/index.ts'
import { applyToVersion } from '../compose/check-proposal.ts'
import type { Option } from '../compose/option.ts'
import { mayAsk } from '../questions.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Candidate, Decision } from '../tune-state.ts'
import type { Version } from '../workload/workload.ts'
import { compose } from './compose.ts'
import type { Trip } from './trip.ts'

/** How often the composer is asked again in an iteration because a person wants something else. */
const feedbackMax = 5

export async function chooseEdit(session: TuneSession, trip: Trip): Promise<Trip> {
  const feedback: string[] = []
  let current = trip
  for (;;) {
    const analyzed = await compose(session, current, feedback)
    const { options } = analyzed.composition
    if (options.length === 0) return { ...analyzed.trip, exit: 'no-options-left' }
    const mayRetry = session.settings.composer === 'agent' && feedback.length < feedbackMax
    const choice = await choose(session, analyzed.trip, options, mayRetry)
    if (choice.answer !== 'feedback') return edit(session, analyzed.trip, options, choice)
    feedback.push(choice.text)
    const { iteration } = trip.record
    const reason = `the composer is asked again: ${choice.text}`
    const entries = await note(session.it, [
      { type: 'decision', iteration, chosen: [], by: 'person', reason },
    ])
    current = { ...analyzed.trip, log: [...analyzed.trip.log, ...entries] }
  }
}

interface Choice {
  readonly answer: string
  readonly by: 'person' | 'policy'
  /** What a person said. */
  readonly text: string
}

/** The policy races all of them. */
async function choose(
  session: TuneSession,
  trip: Trip,
  options: readonly Option[],
  mayRetry: boolean,
): Promise<Choice> {
  const { iteration } = trip.record
  const name = `pick ${iteration}`
  if (!mayAsk(session, name)) return { answer: 'race', by: 'policy', text: '' }
  const ids = options.map(({ id }) => id)
  const [recommended = 'skip'] = ids
  const answers = [...ids, 'race', 'skip', ...(mayRetry ? ['feedback'] : []), 'stop']
  const question: Question = {
    text: `Iteration ${iteration}: which of the options is measured next? "race" measures all of them and keeps the best.`,
    options: answers,
    default: recommended,
    evidence: { happened: options.map(describeOption) },
    ...(mayRetry ? { kinds: { respond: 'feedback' } } : {}),
  }
  const { answer, by, text = '' } = await session.it.ask(name, question)
  return {
    answer: answers.includes(answer) ? answer : recommended,
    by: by === 'person' ? 'person' : 'policy',
    text: text.trim() === '' ? 'None of these. Propose something different.' : text,
  }
}

async function edit(
  { it }: TuneSession,
  trip: Trip,
  options: readonly Option[],
  { answer, by }: Choice,
): Promise<Trip> {
  const { iteration } = trip.record
  const chosen = options.filter(({ id }) => answer === 'race' || id === answer)
  const decision = toDecision(answer, chosen, by)
  const candidates = chosen.flatMap((option) => toCandidate(option, trip.looping.incumbent.version))
  const entries = await note(it, [
    {
      type: 'decision',
      iteration,
      chosen: chosen.map(({ id }) => id),
      by,
      reason: decision.type === 'raced' ? 'all options are raced' : decision.type,
    },
    ...candidates.map(({ option }): LogEntry => ({ type: 'edit-applied', iteration, option })),
  ])
  return {
    ...trip,
    looping: { ...trip.looping, candidates },
    record: { ...trip.record, decision },
    log: [...trip.log, ...entries],
    ...(answer === 'stop' ? { exit: 'stopped' } : {}),
  }
}

function toDecision(answer: string, chosen: readonly Option[], by: 'person' | 'policy'): Decision {
  if (answer === 'race') return { type: 'raced', options: chosen.map(({ id }) => id) }
  const [option] = chosen
  return option === undefined ? { type: 'skipped' } : { type: 'picked', option: option.id, by }
}

/** An option whose text does not match is not a candidate. */
function toCandidate(option: Option, version: Version): readonly Candidate[] {
  const applied = applyToVersion(version, option.edits)
  return applied.type === 'version' ? [{ option, version: applied.version }] : []
}

function describeOption(option: Option): string {
  const { id, name, summary, mechanism, edits, prediction, isRecommended } = option
  const lines = edits.flatMap(({ file, section, current, proposed }) => [
    `${file}${section === '' ? '' : ` (${section})`}:`,
    ...current.split('\n').map((line) => `- ${line}`),
    ...proposed.split('\n').map((line) => `+ ${line}`),
  ])
  return [
    `Option ${id}${isRecommended ? ' (recommended)' : ''}: ${name}. ${summary}`,
    `Mechanism: ${mechanism}`,
    `Should pass then: ${prediction.improves.join(', ') || 'not known'}`,
    ...lines,
  ].join('\n')
}
