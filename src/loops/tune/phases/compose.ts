/** Analyze: asks the composer of the loop, an agent or the search, for three options. */

import { composeByAgent } from '../compose/agent-composer.ts'
import type { Composition } from '../compose/option.ts'
import { composeBySearch } from '../compose/search-composer.ts'
import { rulesOf } from '../modes.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { note } from '../report/note.ts'
import type { TuneSession } from '../tune-session.ts'
import type { Trip } from './trip.ts'

export interface Analyzed {
  readonly trip: Trip
  readonly composition: Composition
}

export const compose = (
  session: TuneSession,
  trip: Trip,
  feedback: readonly string[],
): Promise<Analyzed> =>
  session.settings.composer === 'agent'
    ? askAgent(session, trip, feedback)
    : searchKnobs(session, trip)

async function askAgent(
  { it, settings, input }: TuneSession,
  trip: Trip,
  feedback: readonly string[],
): Promise<Analyzed> {
  const { iteration } = trip.record
  const rules = rulesOf(settings.mode, input.framing)
  // With what this trip measured.
  const history = { ...trip.looping, trail: [...trip.looping.trail, trip.record] }
  const { composition, rejected } = await composeByAgent(it, history, {
    iteration,
    rules,
    feedback,
    log: trip.log,
  })
  const entries = await note(it, [
    ...rejected.map((reasons, at): LogEntry => {
      const text = `Answer ${at + 1} of the composer was rejected: ${reasons.join('; ')}`
      return { type: 'insight', iteration, text }
    }),
    { type: 'composer-analysis', iteration, ...composition },
  ])
  return { trip: { ...trip, log: [...trip.log, ...entries] }, composition }
}

async function searchKnobs({ it, settings, input }: TuneSession, trip: Trip): Promise<Analyzed> {
  const { iteration } = trip.record
  const { passes } = settings.search
  const { variables } = rulesOf(settings.mode, input.framing)
  const { composition, search, runs } = await composeBySearch(it, trip.looping, {
    iteration,
    passes,
    variables,
  })
  const what = 'configurations of the search composer'
  const entries = await note(it, [
    { type: 'experiment', iteration, what, runs, infrastructure: [] },
    { type: 'composer-analysis', iteration, ...composition },
  ])
  const looping = { ...trip.looping, search }
  return { trip: { ...trip, looping, log: [...trip.log, ...entries] }, composition }
}
