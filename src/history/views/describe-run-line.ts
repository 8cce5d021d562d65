/** One line about what a run does, waits for or ended with, from facts only. */

import { inOneLine, isEnd } from '../../loop/index.ts'
import { shortQuestion } from '../../loop/question.ts'
import type { StateSummary } from '../../loop/run-summary.ts'
import type { Run } from '../../protocol/api/run.ts'
import type { WaitsFor } from '../../protocol/api/run-summary.ts'

interface Known {
  readonly run: Run
  readonly summary: Pick<StateSummary, 'outcome' | 'checks' | 'open' | 'certificate'>
  readonly waitsFor: WaitsFor | undefined
  /** The last event, as text. */
  readonly lastText: string
}

const lineCharsMax = 240

export function describeRunLine(known: Known): string {
  const line = inOneLine(describe(known))
  return line.length > lineCharsMax ? `${line.slice(0, lineCharsMax - 1)}…` : line
}

function describe({ run, summary, waitsFor, lastText }: Known): string {
  const { outcome, checks } = summary
  if (run.status === 'completed' && checks.of > 0 && checks.met === checks.of) {
    return checks.of === 1 ? 'Its check is met.' : `All ${checks.of} checks are met.`
  }
  if (isEnd(run.status)) return outcome?.text ?? run.status
  if (waitsFor !== undefined) return describeWait(waitsFor)
  if (run.interrupted) return 'Its process ended; it can be resumed.'
  if (run.status === 'pending') return 'Not started.'
  if (run.status === 'suspended' || run.status === 'paused') return lastText
  const failing = checks.notMet.length === 0 ? '' : ` · not met: ${checks.notMet.join(', ')}`
  return `${lastText}${failing}`
}

function describeWait(wait: WaitsFor): string {
  switch (wait.type) {
    case 'person':
      return `${shortQuestion(wait.text)}${wait.count > 1 ? ` (and ${wait.count - 1} more)` : ''}`
    case 'queue':
      return wait.why
    case 'provider':
      return `The provider limits requests until ${new Date(wait.untilMs).toISOString()}.`
    case 'merge':
      return `Its work waits to be merged into ${wait.target} (position ${wait.position}).`
  }
}
