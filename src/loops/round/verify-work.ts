/**
 * What the work of the maker is worth: the files that it changed, the engine's checks, the verdict of the checker, and the
 * certificate. E5. Verified means that the checker passed and, where files changed, that they are certified.
 */

import {
  type AgentReport,
  type CertifiedFiles,
  type CheckResult,
  defined,
  type TreeId,
} from '../../loop/index.ts'
import { verdictPrompt } from '../../protocol/index.ts'
import type {
  RoundBudgetLimit,
  RoundChecker,
  RoundOutcome,
  RoundVerification,
} from '../../protocol/round/round-report.ts'
import { renderGathered } from '../context/gather.ts'
import { createToken, readVerdict } from '../context/read-verdict.ts'
import { checkerOptions, letWork, toRoundAgent } from './round-agents.ts'
import { findExceeded } from './round-budget.ts'
import { describeWork, promptTokensMax, toPromptValues } from './round-prompts.ts'
import {
  checkerDidNotVerify,
  notVerified,
  type RoundFindings,
  type RoundSession,
  type RoundSources,
} from './round-session.ts'

export interface Changes {
  readonly changed: readonly string[]
  /** The limit that the agents exceeded by now. */
  readonly exceeded?: RoundBudgetLimit
}

/** After the maker. Its files are compared with those that it began with. */
export async function readChanges(session: RoundSession): Promise<Changes> {
  const { it, begun } = session
  const changed = await it.step(
    'changes',
    async () => {
      const { workspace } = it
      if (workspace === undefined || begun.tree === null || workspace.tree === begun.tree) return []
      return workspace.changedSince(begun.tree)
    },
    { readOnly: true, role: 'changes' },
  )
  return { changed, ...(await readSpending(session)) }
}

/** What the run has spent, with what its agents did not report: retries, judges. */
const readSpending = ({ it }: RoundSession): Promise<{ readonly exceeded?: RoundBudgetLimit }> =>
  it.step(
    'budget',
    () => {
      const { committed, limits } = it.budget.remaining()
      if (committed === undefined || limits === undefined) return {}
      return defined({ exceeded: findExceeded(limits, committed) })
    },
    { readOnly: true, role: 'budget' },
  )

export interface Verified {
  readonly found: RoundFindings
  /** The round ends here. */
  readonly outcome?: RoundOutcome
}

export async function verifyWork(
  session: RoundSession,
  sources: RoundSources,
  before: RoundFindings,
): Promise<Verified> {
  const { it, begun } = session
  const isChanged = before.filesChanged.length > 0
  const checks = isChanged ? await it.check() : []
  const { prompt, token } = await writeCheck(session, sources, before, checks, begun.tree)
  const answer = await letWork(session, 'checker', { prompt }, checkerOptions(session))
  if (answer.type === 'ended') return { outcome: answer.outcome, found: before }
  const checker = toChecker(answer.report, token)
  const found = { ...before, checker }
  const { exceeded } = await readSpending(session)
  if (exceeded !== undefined) {
    const verified = notVerified('the budget was exceeded')
    return { outcome: { type: 'budget-exhausted', limit: exceeded }, found: { ...found, verified } }
  }
  return { found: { ...found, verified: await verify(session, checker, isChanged) } }
}

/** One that has concerns about its own answer did not pass the work. */
function toChecker(report: AgentReport, token: string): RoundChecker {
  const agent = toRoundAgent(report)
  const { verdict, reasons } = readVerdict(report, token, 'checker')
  if (verdict !== 'pass' || agent.status === 'done') return { ...agent, verdict, reasons }
  const doubt = { text: `The checker passed the work, but ended with ${agent.status}.` }
  return { ...agent, verdict: 'unclear', reasons: [doubt, ...reasons] }
}

async function verify(
  { it }: RoundSession,
  { verdict }: RoundChecker,
  isChanged: boolean,
): Promise<RoundVerification> {
  if (verdict !== 'pass') return notVerified(checkerDidNotVerify)
  if (!isChanged) return { type: 'checker' }
  const certified = await it.certify()
  if (certified.type === 'certified') return certified
  return notVerified(describeRefusals(certified))
}

export const describeRefusals = ({
  refusals: [first],
}: Extract<CertifiedFiles, { type: 'refused' }>): string =>
  `the work is not certified: ${first?.message ?? 'no reason is known'}`

const writeCheck = (
  { it, settings, prompts, begun, input }: RoundSession,
  { gathered }: RoundSources,
  { maker, filesChanged }: RoundFindings,
  checks: readonly CheckResult[],
  base: TreeId | null,
): Promise<{ readonly prompt: string; readonly token: string }> =>
  it.step(
    'check-prompt',
    async () => {
      const { name, intent } = settings
      const isChanged = filesChanged.length > 0 && base !== null
      const patch = isChanged ? ((await it.workspace?.patchSince(base)) ?? '') : ''
      const values = {
        ...toPromptValues({ name, intent, level: begun.level, input }),
        gathered: renderGathered(gathered),
        memory: '',
        goal: '',
        ending: '',
      }
      const { text } = prompts.checker.write(values, { tokensMax: promptTokensMax })
      const work = describeWork({ report: maker?.text, filesChanged, patch, checks })
      const token = createToken()
      return { prompt: verdictPrompt(`${text}\n\n${work}`, token), token }
    },
    { readOnly: true, role: 'review-prompt' },
  )
