/**
 * Translates paths in recorded tool calls. A recorded answer names files in the workspace of the original. In
 * the strong sandbox the replay's folder is mounted at that path; for all other tools the path is replaced
 * here, so that the original stays untouched.
 */

import type { Tools } from '../../engine/index.ts'
import type { Json, SandboxSummary } from '../../loop/index.ts'

export function translateTools(
  tools: Tools,
  { from, to }: { readonly from: string; readonly to: string },
  sandbox: SandboxSummary | undefined,
): Tools {
  const translate = (name: string, args: Json): Json =>
    sandbox?.tier === 'strong' && runsInSandbox(name)
      ? args
      : mapStrings(args, (text) => text.replaceAll(from, to))
  return {
    ...tools,
    call: (name, args, context) => tools.call(name, translate(name, args), context),
    replayed: (name, args, result, context) =>
      tools.replayed?.(name, translate(name, args), result, context),
  }
}

/** Commands and tools of MCP servers run in the sandbox. */
const runsInSandbox = (name: string): boolean => name === 'run' || name.includes('__')

function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part: Json) => mapStrings(part, change))
  const entries = Object.entries(value).map(([name, part]) => [name, mapStrings(part, change)])
  return Object.fromEntries(entries) as Json
}
