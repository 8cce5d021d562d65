/**
 * The report of a round as text, for channels and memory. The first lines have a fixed layout, because other programs
 * read them; what is known besides follows after the tokens.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import { levelNames } from '../../loop/index.ts'
import type { RoundAgentStatus, RoundOutcome, RoundReport } from './round-report.ts'

export const totalTokens = ({
  inputTokens,
  outputTokens,
}: Pick<RoundReport, 'inputTokens' | 'outputTokens'>): number => inputTokens + outputTokens

/** Whether a person should see it. A round that simply proceeded is quiet, unless its report is all that it does. */
export const shouldDeliver = ({
  outcome,
  action,
}: Pick<RoundReport, 'outcome' | 'action'>): boolean =>
  outcome.type !== 'proceeded' || action?.kind === 'report'

/** How a warning begins that says what became of the level of the loop. */
export const levelNotice = 'level for '

export const roundOutcomeLabel = ({ type }: RoundOutcome): RoundOutcome['type'] => type

const statusNames: Readonly<Record<RoundAgentStatus, string>> = {
  done: 'Done',
  'done-with-concerns': 'DoneWithConcerns',
  blocked: 'Blocked',
  'needs-context': 'NeedsContext',
}

/** The report as text, with a fixed layout up to the tokens. */
export function renderRoundReport(report: RoundReport): string {
  const { loop, intent, level, outcome, maker, checker, action } = report
  const lines = [
    `[${levelNames[level]}] loop \`${loop}\` (${roundOutcomeLabel(outcome)})`,
    `intent: ${intent}`,
  ]
  if (maker !== undefined) {
    lines.push(`maker: ${statusNames[maker.status]} in ${maker.iterations} iters`)
    if (maker.text !== undefined) lines.push(maker.text.trim())
  }
  if (checker !== undefined) {
    lines.push(`checker: ${statusNames[checker.status]} in ${checker.iterations} iters`)
  }
  if (outcome.type === 'escalated') lines.push(`escalation: ${outcome.reason}`)
  if (action !== undefined) lines.push(`action: ${action.kind} — ${action.summary}`)
  lines.push(`tokens: ${report.inputTokens} in / ${report.outputTokens} out`)
  return [...lines, ...additions(report), ''].join('\n')
}

const reasonsShownMax = 10

/** Why it ended this way, what its verification rests on, and where its work is. */
function additions(report: RoundReport): readonly string[] {
  const { outcome, checker, filesChanged, branch, warnings } = report
  const lines: string[] = []
  if (outcome.type === 'failed') lines.push(`error: ${outcome.error}`)
  if (outcome.type === 'budget-exhausted') lines.push(`budget: ${outcome.limit}`)
  lines.push(`verified: ${describeVerification(report)}`)
  for (const { text, file } of checker?.reasons.slice(0, reasonsShownMax) ?? []) {
    lines.push(`- ${file === undefined ? '' : `${file}: `}${text}`)
  }
  if (filesChanged.length > 0) {
    const where = branch === undefined ? '' : ` on ${branch}`
    lines.push(`work: ${plural(filesChanged.length, 'changed file')}${where}`)
  }
  return [...lines, ...warnings.map((warning) => `warning: ${warning}`)]
}

export function describeVerification({ verified }: Pick<RoundReport, 'verified'>): string {
  switch (verified.type) {
    case 'checker':
      return 'by the checker only: no file changed, so there is no certificate'
    case 'certified':
      return `by the checker and by certificate ${verified.certificate.slice(0, 16)}`
    case 'unverified':
      return `no: ${verified.reason}`
  }
}
