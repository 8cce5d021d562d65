/**
 * Tools that are told paths of then. A recorded answer names files where the original had them; behind
 * walls the replay's folder is shown in that place, and everywhere else the path is put right here, so
 * that nothing of the original is touched.
 */

import type { Tools } from '../../engine/index.ts'
import type { Json, Walls } from '../../loop/index.ts'

export function translatedTools(
  tools: Tools,
  { from, to }: { readonly from: string; readonly to: string },
  walls: Walls | undefined,
): Tools {
  const translate = (name: string, args: Json): Json =>
    walls?.tier === 'strong' && worksInside(name)
      ? args
      : withStrings(args, (text) => text.replaceAll(from, to))
  return {
    ...tools,
    call: (name, args, context) => tools.call(name, translate(name, args), context),
    replayed: (name, args, result, context) =>
      tools.replayed?.(name, translate(name, args), result, context),
  }
}

/** Commands, and the tools of MCP servers. */
const worksInside = (name: string): boolean => name === 'run' || name.includes('__')

function withStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part: Json) => withStrings(part, change))
  const entries = Object.entries(value).map(([name, part]) => [name, withStrings(part, change)])
  return Object.fromEntries(entries) as Json
}
