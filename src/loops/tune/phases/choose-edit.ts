/** Analyze, decide and edit: three options, one of which a person picks, or which the policy races. */

import { applyEdits, type Composition, type Option } from '../compose/option.ts'
import { composeBySearch } from '../compose/search-composer.ts'
import { askWhich } from '../questions.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Candidate, Decision } from '../tune-state.ts'
import type { Version } from '../workload/workload.ts'
import type { Trip } from './trip.ts'

export async function chooseEdit(session: TuneSession, trip: Trip): Promise<Trip> {
  const { iteration } = trip.record
  const { passes } = session.settings.search
  const { looping } = trip
  const { composition, search, runs } = await composeBySearch(session.it, looping, {
    iteration,
    passes,
  })
  const what = 'configurations of the search composer'
  const entries = await note(session.it, [
    { type: 'experiment', iteration, what, runs, infrastructure: [] },
    { type: 'composer-analysis', iteration, ...composition },
  ])
  const log = [...trip.log, ...entries]
  const analyzed: Trip = { ...trip, looping: { ...looping, search }, log }
  if (composition.options.length === 0) return { ...analyzed, exit: 'no-options-left' }
  return decide(session, analyzed, composition)
}

/** The person's choice is one option; the policy races all of them. */
async function decide(session: TuneSession, trip: Trip, { options }: Composition): Promise<Trip> {
  const { iteration } = trip.record
  const { pick } = session.settings
  const ids = options.map(({ id }) => id)
  const [recommended = 'skip'] = ids
  const answer =
    pick === 'policy'
      ? 'race'
      : await askWhich(session, `pick ${iteration}`, {
          text: `Iteration ${iteration}: which of the options is measured next?`,
          options: [...ids, 'skip', 'stop'],
          default: recommended,
          policy: recommended,
          happened: options.map(describeOption),
        })
  const chosen = options.filter(({ id }) => answer === 'race' || id === answer)
  const decision = toDecision(answer, chosen)
  const candidates = chosen.flatMap((option) => toCandidate(option, trip.looping.incumbent.version))
  const entries = await note(session.it, [
    {
      type: 'decision',
      iteration,
      chosen: chosen.map(({ id }) => id),
      by: pick === 'policy' ? 'policy' : 'person',
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

function toDecision(answer: string, chosen: readonly Option[]): Decision {
  if (answer === 'race') return { type: 'raced', options: chosen.map(({ id }) => id) }
  const [option] = chosen
  return option === undefined
    ? { type: 'skipped' }
    : { type: 'picked', option: option.id, by: 'person' }
}

/** An option whose text does not match is not a candidate. */
function toCandidate(option: Option, { artifacts }: Version): readonly Candidate[] {
  const edited = Object.entries(artifacts).map(([file, text]) => {
    const edits = option.edits.filter((edit) => edit.file === file)
    return [file, applyEdits(text, edits)] as const
  })
  const texts = edited.flatMap(([file, text]) =>
    text === undefined ? [] : [[file, text] as const],
  )
  if (texts.length < edited.length) return []
  return [{ option, version: { artifacts: Object.fromEntries(texts) } }]
}

function describeOption({ id, name, summary, edits, isRecommended }: Option): string {
  const lines = edits.flatMap(({ file, current, proposed }) => [
    `${file}:`,
    ...current.split('\n').map((line) => `- ${line}`),
    ...proposed.split('\n').map((line) => `+ ${line}`),
  ])
  return [
    `Option ${id}${isRecommended ? ' (recommended)' : ''}: ${name}. ${summary}`,
    ...lines,
  ].join('\n')
}
