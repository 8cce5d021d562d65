/**
 * How an agent says more than "done": the last line of its answer is `STATUS: ` and one of the five
 * words below, alone on its line and spelt exactly so. Without such a line it is done. A claim either
 * way: only checks make it true.
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

/** What a model is told. */
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
