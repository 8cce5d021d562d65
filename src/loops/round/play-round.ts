/** Plays one round, from its memory to its report. Whatever becomes of it is an outcome; `round-loop.ts` draws its steps. */

import { FaultError } from '../../loop/index.ts'
import type { RoundOutcome } from '../../protocol/round/round-report.ts'
import { findCap } from './open-proposals.ts'
import { begin, readSources, writePrompt } from './prepare-round.ts'
import { propose } from './propose.ts'
import { conclude } from './report-round.ts'
import { letWork, makerOptions, toRoundAgent } from './round-agents.ts'
import type { RoundEnd, RoundFindings, RoundSession } from './round-session.ts'
import { notVerified } from './round-session.ts'
import { readChanges, verifyWork } from './verify-work.ts'

export async function playRound(given: Omit<RoundSession, 'begun'>): Promise<RoundOutcome> {
  const session: RoundSession = { ...given, begun: await begin(given) }
  const end = await work(session)
  const { outcome } = await conclude(session, end, end.decided === true ? 'decided' : 'end')
  if (outcome.type !== 'failed') return outcome
  throw new FaultError({
    code: 'round-failed',
    message: outcome.error,
    retryable: false,
    fatal: true,
  })
}

async function work(session: RoundSession): Promise<RoundEnd> {
  const cap = await findCap(session)
  if (cap !== undefined) return { outcome: { type: 'escalated', reason: cap }, found: nothingFound }
  const sources = await readSources(session)
  const { memories, warnings } = sources
  const nothing: RoundFindings = {
    ...nothingFound,
    recalled: memories.map(({ id }) => id),
    warnings,
  }
  const { prompt, basis, proposalId } = await writePrompt(session, sources)
  const made = await letWork(session, 'maker', { prompt, basis }, makerOptions(session))
  const { changed, exceeded } = await readChanges(session)
  if (made.type === 'ended')
    return { outcome: made.outcome, found: { ...nothing, filesChanged: changed } }
  const found: RoundFindings = {
    ...nothing,
    maker: toRoundAgent(made.report),
    filesChanged: changed,
    verified: notVerified('the checker did not work'),
  }
  if (exceeded !== undefined) {
    return { outcome: { type: 'budget-exhausted', limit: exceeded }, found }
  }
  const verified = await verifyWork(session, sources, found)
  if (verified.outcome !== undefined) {
    return { outcome: verified.outcome, found: verified.found }
  }
  return propose(session, { ...sources, proposalId }, verified.found)
}

const nothingFound: RoundFindings = {
  recalled: [],
  warnings: [],
  filesChanged: [],
  verified: notVerified('the maker did not work'),
}
