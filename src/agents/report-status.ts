/**
 * How an agent reports more than "done": the last line of its response is `STATUS: ` and one of the
 * five words below, alone on its line and in exactly this spelling. Without such a line it is done.
 * Either way it is a claim: only checks make it true.
 */

import type { AgentReport } from '../loop/index.ts'

type Status = AgentReport['status']

const statuses: readonly Status[] = [
  'done',
  'done-with-concerns',
  'blocked',
  'needs-context',
  'failed',
]

/** The instruction to the model. */
export const reportConvention: string = `When you have finished, answer without calling a tool: \
say briefly what you did and what is left. If all is done, that is enough. Otherwise make the very \
last line one of:
STATUS: done-with-concerns
STATUS: blocked
STATUS: needs-context
STATUS: failed`

export function readStatus(text: string): { readonly status?: Status; readonly text: string } {
  const trimmed = text.trimEnd()
  const lineStart = trimmed.lastIndexOf('\n') + 1
  const said = trimmed.slice(lineStart)
  const status = statuses.find((one) => said === `STATUS: ${one}`)
  return status === undefined ? { text } : { status, text: trimmed.slice(0, lineStart).trimEnd() }
}
