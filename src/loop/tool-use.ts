/** Counts of what tools did. Their names come from agents too, so there is a limit to how many. */

import type { Metrics, ToolUse } from './state.ts'
import type { ToolNote } from './step-note.ts'

const toolsMax = 200
const others = '(others)'
const unused: ToolUse = { calls: 0, failed: 0, ms: 0, outputBytes: 0 }

export function countCall(metrics: Metrics, note: ToolNote): Metrics {
  const { tools } = metrics
  const known = Object.hasOwn(tools, note.tool) || Object.keys(tools).length < toolsMax
  const name = known ? note.tool : others
  const before = Object.hasOwn(tools, name) ? (tools[name] ?? unused) : unused
  const use: ToolUse = {
    calls: before.calls + 1,
    failed: before.failed + (note.ok ? 0 : 1),
    ms: before.ms + note.durationMs,
    outputBytes: before.outputBytes + note.outputBytes,
  }
  return { ...metrics, tools: { ...tools, [name]: use } }
}
