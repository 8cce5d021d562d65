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
  type QuestionEvidence,
  type Receipt,
} from '../../loop/index.ts'
import { describeVerification } from '../../protocol/round/render-round-report.ts'
import type { RoundDecision } from '../../protocol/round/round-report.ts'
import { cleanLine } from '../context/gather.ts'
import { aboutOf, supersede } from './open-proposals.ts'
import { commentNumbers, findComment, summarize, toDetails } from './proposal.ts'
import { conclude } from './report-round.ts'
import {
  checkerDidNotVerify,
  type RoundEnd,
  type RoundFindings,
  type RoundSession,
  type RoundSources,
} from './round-session.ts'
import { describeRefusals } from './verify-work.ts'

export interface ProposalSources extends RoundSources {
  /** Of the prompt: a comment has it. */
  readonly proposalId: string
}

export async function propose(
  session: RoundSession,
  sources: ProposalSources,
  before: RoundFindings,
): Promise<RoundEnd> {
  const { it, begun, settings } = session
  const possible = toAction(session, sources, before)
  // The gate is asked at level 1 as well, about what it would have been.
  const action = possible ?? (begun.level === 1 ? toActionAtLevel1(session, before) : undefined)
  const isVerified = before.verified.type !== 'unverified'
  if (action === undefined) return withoutProposal(before, isVerified)
  const { kind, summary } = action
  const judged = await it.judge(action, { checked: isVerified })
  const found: RoundFindings = {
    ...before,
    proposed: { kind, summary, verified: isVerified },
    decision: toDecision(judged),
  }
  if (begun.level === 1) return { outcome: { type: 'reported' }, found }
  const reason = isVerified ? reasonOf(judged) : (notVerifiedReason(before) ?? checkerDidNotVerify)
  const about = aboutOf(action) ?? kind
  const options = { judged, about, ...defined({ deadlineMs: settings.deadlineMs }) }
  if (judged.type === 'allow' && isVerified) return act(session, action, options, found)
  const escalated: RoundEnd = { outcome: { type: 'escalated', reason }, found }
  if (judged.type === 'deny') return escalated
  const obstacle = isVerified ? undefined : await findObstacle(session, kind, before)
  if (obstacle !== undefined) {
    return { outcome: { type: 'escalated', reason: obstacle }, found }
  }
  await supersede(session, about)
  await conclude(session, escalated, 'asking')
  const evidence = toEvidence(session, found)
  const asked = { ...options, evidence, ...(isVerified ? {} : { ask: reason }) }
  return { ...(await act(session, action, asked, found)), decided: true }
}

const notVerifiedReason = ({ verified }: RoundFindings): string | undefined =>
  verified.type === 'unverified' ? verified.reason : undefined

/**
 * Why the action cannot be performed even if a person allows it: it needs certified files. What the checker did not verify
 * is certified before a person is asked, so that they can allow it.
 */
async function findObstacle(
  { it }: RoundSession,
  kind: string,
  { checker, filesChanged, verified }: RoundFindings,
): Promise<string | undefined> {
  if (!isAboutFiles(kind) || filesChanged.length === 0 || verified.type !== 'unverified') return
  // It passed, so its work was not certified.
  if (checker?.verdict === 'pass') return verified.reason
  const certified = await it.certify()
  if (certified.type === 'certified') return
  return `${verified.reason}, and ${describeRefusals(certified)}`
}

const reasonOf = ({ reason }: Judged): string => reason ?? 'the gate gave no reason'

/** Nothing to act on: quiet if the checker agrees. */
function withoutProposal(found: RoundFindings, isVerified: boolean): RoundEnd {
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
  if (status !== 'done') {
    // The next round answered instead of a person.
    const [reason = summary] = /superseded by \S+$/.exec(summary) ?? []
    return { outcome: { type: 'escalated', reason }, found }
  }
  return {
    outcome: { type: 'proceeded' },
    found: { ...found, action: { kind: action.kind, summary } },
  }
}

const saidCharsMax = 500

/** What a person sees who decides: what the agents said, and what changed. */
function toEvidence(
  { it, begun }: RoundSession,
  { maker, checker, filesChanged, verified }: RoundFindings,
): QuestionEvidence {
  const tree = it.workspace?.tree
  const said = (who: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : [`${who}: ${cleanLine(text, saidCharsMax)}`]
  return {
    happened: [
      ...said('maker', maker?.text),
      ...(checker === undefined ? [] : [`checker: ${checker.verdict}`]),
      ...(checker?.reasons ?? []).map(({ text }) => `- ${cleanLine(text, saidCharsMax)}`),
      `verified: ${describeVerification({ verified })}`,
    ],
    ...(filesChanged.length > 0 && begun.tree !== null && tree !== undefined
      ? { diff: { base: begun.tree, tree, files: filesChanged.length } }
      : {}),
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

const toActionAtLevel1 = ({ settings }: RoundSession, found: RoundFindings): Action => ({
  kind: settings.propose?.kind ?? 'report',
  summary: summarize(settings, found),
})

/** Undefined: there is nothing to act on. */
function toAction(
  { settings, it }: RoundSession,
  { gathered, proposalId }: ProposalSources,
  found: RoundFindings,
): Action | undefined {
  const { kind, details } = settings.propose ?? { kind: 'report' }
  const summary = summarize(settings, found)
  if (kind === 'comment' && !hasNumber(details)) {
    const comment = findComment(found.maker?.text ?? '', {
      numbers: commentNumbers(settings, gathered),
      id: proposalId,
    })
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
