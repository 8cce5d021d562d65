/** The tools that every agent can have: workspace files, searches and commands. */

import type { Commands } from '../engine/index.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { listTool } from './list.ts'
import { findProtection, type ProtectedPaths } from './protection.ts'
import { readTool } from './read.ts'
import { createReadTracker } from './read-tracker.ts'
import { runTool } from './run.ts'
import type { Tool } from './tool.ts'
import { writeTool } from './write.ts'

/** Options of `builtInTools`. */
export interface BuiltInToolsOptions {
  /** Runs the commands of `run`. */
  readonly commands: Commands
  /** For the commands of `run`. */
  readonly env?: Readonly<Record<string, string>>
  /** Names of folders that searches do not enter, besides `.git`. */
  readonly skip?: readonly string[]
  /** How long a search pattern may take for a few thousand lines. */
  readonly patternMs?: number
  /** Paths that tools neither show nor change. Evaluated at each call; an error fails the call. */
  readonly protects?: () => ProtectedPaths
}

/** For one run: they remember what was read. */
export function builtInTools(options: BuiltInToolsOptions): readonly Tool[] {
  const { skip = ['node_modules', '.venv'], patternMs = 5000 } = options
  const search = { skip, patternMs }
  const tracker = createReadTracker()
  const files = [
    editTool(tracker),
    globTool(search),
    grepTool(search),
    listTool(),
    readTool(tracker),
    writeTool(tracker),
  ]
  return [...files.map((tool) => withProtection(tool, options)), runTool(options)]
}

function withProtection(tool: Tool, { protects }: BuiltInToolsOptions): Tool {
  if (protects === undefined) return tool
  return {
    ...tool,
    async run(args, context) {
      const { workspace } = context
      if (workspace === undefined) return tool.run(args, context)
      const protection = await findProtection(workspace, protects())
      return tool.run(args, { ...context, protection })
    },
  }
}
