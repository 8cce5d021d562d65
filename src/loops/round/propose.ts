/**
 * What follows from a round: at level 1 a report, otherwise an action that the gate allows or a person decides about.
 *
 * E6. A proposal that was not verified always needs a person, whatever the gate says.
 */

import {
  type Action,
  type ActOptions,
  defined,
  FaultError,
  type Json,
  type Judged,
  type Receipt,
} from '../../loop/index.ts'
import type { RoundDecision } from '../../protocol/round/round-report.ts'
import { gatheredNumbers } from '../context/gather.ts'
import { findComment, summarize, toDetails } from './proposal.ts'
import { conclude } from './report-round.ts'
import {
  checkerDidNotVerify,
  type RoundEnd,
  type RoundFindings,
  type RoundSession,
  type RoundSources,
} from './round-session.ts'

export async function propose(
  session: RoundSession,
  sources: RoundSources,
  before: RoundFindings,
): Promise<RoundEnd> {
  const { it, begun, settings } = session
  const action = toAction(session, sources, before)
  const isVerified = before.verified.type !== 'unverified'
  if (action === undefined) return withoutProposal(session, before, isVerified)
  const { kind, summary } = action
  const judged = await it.judge(action, { checked: isVerified })
  const found: RoundFindings = {
    ...before,
    proposed: { kind, summary, verified: isVerified },
    decision: toDecision(judged),
  }
  if (begun.level === 1) return { outcome: { type: 'reported' }, found }
  const reason = isVerified ? reasonOf(judged) : (notVerifiedReason(before) ?? checkerDidNotVerify)
  const options = { judged, ...defined({ deadlineMs: settings.deadlineMs }) }
  if (judged.type === 'allow' && isVerified) return act(session, action, options, found)
  const escalated: RoundEnd = { outcome: { type: 'escalated', reason }, found }
  if (judged.type === 'deny') return escalated
  await conclude(session, escalated)
  return act(session, action, { ...options, ...(isVerified ? {} : { ask: reason }) }, found)
}

const notVerifiedReason = ({ verified }: RoundFindings): string | undefined =>
  verified.type === 'unverified' ? verified.reason : undefined

const reasonOf = ({ reason }: Judged): string => reason ?? 'the gate gave no reason'

/** Nothing to act on: a report at level 1, otherwise quiet if the checker agrees. */
function withoutProposal(
  { begun }: RoundSession,
  found: RoundFindings,
  isVerified: boolean,
): RoundEnd {
  if (begun.level === 1) return { outcome: { type: 'reported' }, found }
  if (isVerified) return { outcome: { type: 'proceeded' }, found }
  return { outcome: { type: 'escalated', reason: notVerifiedReason(found) ?? '' }, found }
}

async function act(
  { it }: RoundSession,
  action: Action,
  options: ActOptions,
  found: RoundFindings,
): Promise<RoundEnd> {
  let receipt: Receipt
  try {
    receipt = await it.act(action, options)
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.code === 'rate-limited') throw error
    const failure = `action executor failed: ${error.fault.message}`
    const { decision: _decision, ...rest } = found
    return { outcome: { type: 'failed', error: failure }, found: rest }
  }
  const { status, summary } = receipt
  if (status !== 'done') return { outcome: { type: 'escalated', reason: summary }, found }
  return {
    outcome: { type: 'proceeded' },
    found: { ...found, action: { kind: action.kind, summary } },
  }
}

const toDecision = ({ type, reason = '', rule }: Judged): RoundDecision =>
  type === 'allow'
    ? { type: 'auto-proceed', ...defined({ rule }) }
    : {
        type: 'escalate',
        reason,
        ...defined({ rule }),
        ...(type === 'deny' ? { isDenied: true as const } : {}),
      }

/** Undefined: there is nothing to act on. */
function toAction(
  { settings, it }: RoundSession,
  { gathered }: RoundSources,
  found: RoundFindings,
): Action | undefined {
  const { kind, details } = settings.propose ?? { kind: 'report' }
  const summary = summarize(settings, found)
  if (kind === 'comment' && !hasNumber(details)) {
    const comment = findComment(found.maker?.text ?? '', gatheredNumbers(gathered))
    if (comment === undefined) return undefined
    return { kind, summary, ...toDetails(details, { ...comment }) }
  }
  if (isAboutFiles(kind) && found.filesChanged.length === 0 && it.workspace !== undefined) {
    return undefined
  }
  const text = kind === 'draft' ? found.maker?.text : undefined
  return { kind, summary, ...toDetails(details, defined({ text })) }
}

const hasNumber = (details: Json | undefined): boolean =>
  typeof details === 'object' && details !== null && 'on' in details

const aboutFiles: ReadonlySet<string> = new Set(['merge', 'commit', 'apply-patch', 'open-pr'])

const isAboutFiles = (kind: string): boolean => aboutFiles.has(kind)
