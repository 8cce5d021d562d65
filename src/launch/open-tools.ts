/** The tools of a run: those of its agent, and those of its checks and judges. */

import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import type { Agent } from '../agents/index.ts'
import type { Tools } from '../engine/index.ts'
import { LoopError, suggestName } from '../loop/index.ts'
import { checkAgent, checkTool, type LoopFile } from '../protocol/index.ts'
import { outputFolder } from '../system/state-folders.ts'
import { builtInTools, createTools, type Tool } from '../tools/index.ts'
import { readTools } from './checks/reader-agent.ts'
import type { OpenedSandbox } from './opened-sandbox.ts'

export interface OpenedTools {
  readonly tools: Tools
  /** Restricts an agent to the tools that the loop file allows. */
  allowing(agent: Agent): Agent
}

type ToolsFile = Pick<LoopFile, 'tools' | 'readers' | 'checks' | 'certify' | 'exclude'>

export function openTools(
  file: ToolsFile,
  folder: string,
  sandbox: Pick<OpenedSandbox, 'commands' | 'protects'>,
  { mcp, code = [], withoutMcp }: OtherTools,
  problems: readonly string[],
): OpenedTools {
  const all = [...ownTools(sandbox, file.exclude), ...mcp, ...code]
  const chosen = chooseTools(all, file.tools, problems)
  const besides = new Set(namesBesides(file))
  const unchosen = all.filter((tool) => !chosen.includes(tool) && besides.has(tool.name))
  const tools = createTools({
    tools: [...chosen, ...unchosen],
    // Created when it is needed.
    spillFolder: join(outputFolder(folder), uuidv7()),
  })
  const left = chosen.filter((tool) => !withoutMcp || !mcp.includes(tool))
  const isAll = unchosen.length === 0 && left.length === chosen.length
  const names = new Set(left.map(({ name }) => name))
  return { tools, allowing: (agent) => (isAll ? agent : only(names, agent)) }
}

export interface OtherTools {
  /** Of MCP servers. */
  readonly mcp: readonly Tool[]
  /** Of the code of the loop. */
  readonly code: readonly Tool[] | undefined
  /** Agents may not call those of MCP servers: what they do is not known. */
  readonly withoutMcp: boolean
}

/** The built-in tools, in this sandbox. */
export const ownTools = (
  { commands, protects }: Pick<OpenedSandbox, 'commands' | 'protects'>,
  skip: readonly string[],
): readonly Tool[] => builtInTools({ commands, protects, skip })

/** Judges get the read-only tools, whatever the agent may use. */
function namesBesides({ readers, checks, certify }: ToolsFile): readonly string[] {
  const all = Object.values(checks)
  const isRead =
    readers.length > 0 ||
    certify.consult.length > 0 ||
    all.some((check) => checkAgent(check) !== undefined)
  return [...all.flatMap((check) => checkTool(check)?.tool ?? []), ...(isRead ? readTools : [])]
}

const only = (names: ReadonlySet<string>, agent: Agent): Agent => ({
  work: (task, context) =>
    agent.work(task, {
      ...context,
      tools: async () => (await context.tools()).filter(({ name }) => names.has(name)),
      async callTool(name, args) {
        if (names.has(name)) return context.callTool(name, args)
        const output = `There is no tool ${JSON.stringify(name.slice(0, 100))}. The tools are: ${[...names].join(', ')}.`
        return { ok: false, error: 'unknown-tool', output }
      },
    }),
})

function chooseTools(
  all: readonly Tool[],
  names: readonly string[] | undefined,
  problems: readonly string[],
): readonly Tool[] {
  if (names === undefined) return all
  const known = new Map(all.map((tool) => [tool.name, tool]))
  return names.map((name) => {
    const tool = known.get(name)
    if (tool !== undefined) return tool
    const advice = suggestName(name, known.keys()) || ` There are: ${[...known.keys()].join(', ')}.`
    // The most likely reason is a server that did not start.
    const why = [`The loop file names the unknown tool "${name}".${advice}`, ...problems]
    throw new LoopError('bad-loop-file', why.join('\n'))
  })
}
