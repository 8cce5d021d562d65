/** The tools that an agent has. */

import type { Tools } from '../engine/index.ts'
import { createPlainCommands } from '../sandbox/index.ts'
import { builtInTools, createTools, searchTools } from '../tools/index.ts'

type ToolList = Awaited<ReturnType<NonNullable<Tools['list']>>>

/** The tools of a loop, or the built-in ones; with a query, only those that match it. */
export async function findTools(opened?: Tools, query?: string): Promise<ToolList> {
  const tools = opened ?? createTools({ tools: builtInTools({ commands: createPlainCommands() }) })
  const all = (await tools.list?.()) ?? []
  return query === undefined ? all : searchTools(all, query)
}
