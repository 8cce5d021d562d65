/**
 * An agent with read-only access: a judge must not be able to change the work.
 *
 * 1. It has only tools that read the workspace. 2. If it is a program and there is a sandbox, the workspace is mounted
 * read-only. 3. It has a separate time limit.
 * 4. One that is set apart works in an empty folder and has no tools: what the loop seals is not there to be read.
 */

import { type Agent, createTimeLimitedSignal } from '../../agents/index.ts'
import type { Tools } from '../../engine/index.ts'
import { type AgentContext, defined, FaultError } from '../../loop/index.ts'
import type { AgentSettings } from '../../protocol/index.ts'
import type { AgentParts } from '../agents/agent-parts.ts'
import { openAgent } from '../agents/open-agent.ts'
import type { AgentView, OpenedSandbox } from '../opened-sandbox.ts'

export interface ReaderSettings {
  readonly agent: AgentSettings
  readonly timeoutMs: number
  /** It sees nothing but its prompt. */
  readonly isApart?: true
}

export interface ReaderContext {
  readonly workspace: string
  /** For agents that see nothing but their prompt. */
  readonly emptyFolder?: () => Promise<string>
  /** The tools to use instead of those of the run. */
  readonly tools?: Tools
}

/** By role: `judge:<check>` and `consult:<name>`. */
export async function openReaders(
  readers: Readonly<Record<string, ReaderSettings>>,
  parts: AgentParts,
  { workspace, emptyFolder, tools }: ReaderContext,
): Promise<Readonly<Record<string, Agent>>> {
  const opened: [string, Agent][] = []
  const sandbox = readOnlySandbox(parts.sandbox, workspace)
  for (const [role, { agent: settings, timeoutMs, isApart }] of Object.entries(readers)) {
    if (sandbox.summary.tier === 'none' && isProgram(settings)) {
      parts.problems.push(`${role}: without a sandbox it could change what it judges.`)
    }
    if (isApart === true && emptyFolder !== undefined) {
      const folder = await emptyFolder()
      const { agent } = await openAgent(settings, apartFrom(parts, folder))
      opened.push([role, readerAgent(agent, timeoutMs, noTools, folder)])
      continue
    }
    const { agent } = await openAgent(settings, { ...parts, sandbox })
    opened.push([role, readerAgent(agent, timeoutMs, tools)])
  }
  return Object.fromEntries(opened)
}

const noTools: Tools = {
  list: async () => [],
  call: async (name) => ({ ok: false, error: 'not-allowed', output: `There is no tool ${name}.` }),
}

/** In this folder instead of the workspace. */
function apartFrom(parts: AgentParts, folder: string): AgentParts {
  const { workspace: _workspace, checkout: _checkout, sandboxPath: _path, ...place } = parts.place
  const { sandbox } = parts
  return {
    ...parts,
    place: { ...place, workspace: folder },
    sandbox: {
      ...sandbox,
      agentCommands: (command, socketPath, view = {}) =>
        sandbox.agentCommands(command, socketPath, {
          ...view,
          isOffline: true,
          instead: folder,
          shows: [...(view.shows ?? []), folder],
        }),
    },
  }
}

const isProgram = ({ type }: AgentSettings): boolean => type !== 'model' && type !== 'script'

/** Agents that are programs see the workspace read-only. */
export function readOnlySandbox(
  sandbox: OpenedSandbox,
  workspace: string,
  others: Pick<AgentView, 'isOffline'> = {},
): OpenedSandbox {
  return {
    ...sandbox,
    agentCommands: (command, socketPath, view = {}) =>
      sandbox.agentCommands(command, socketPath, {
        ...view,
        ...others,
        shows: [...(view.shows ?? []), workspace],
      }),
  }
}

/** Without tools of MCP servers, since it is unknown what they do. */
export const readTools: ReadonlySet<string> = new Set(['read', 'list', 'glob', 'grep'])

export function readerAgent(
  agent: Agent,
  timeoutMs: number,
  tools?: Tools,
  folder?: string,
): Agent {
  return {
    async work(task, context) {
      const limit = createTimeLimitedSignal(context.signal, timeoutMs, () => tooLate(timeoutMs))
      const { signal } = limit
      try {
        return await agent.work(task, {
          ...context,
          ...onlyReading(context, tools),
          ...defined({ workspace: folder }),
          signal,
        })
      } catch (error) {
        // However the agent reports that it was stopped.
        if (signal.aborted && !context.signal.aborted) throw tooLate(timeoutMs)
        throw error
      } finally {
        limit.free()
      }
    },
  }
}

const onlyReading = (
  context: AgentContext,
  tools: Tools | undefined,
): Pick<AgentContext, 'tools' | 'callTool'> => ({
  async tools() {
    const all = tools === undefined ? await context.tools() : await tools.list?.()
    return (all ?? []).filter(({ name }) => readTools.has(name))
  },
  async callTool(name, args) {
    if (!readTools.has(name)) {
      const output = `You have read-only access: ${[...readTools].join(', ')}.`
      return { ok: false, error: 'not-allowed', output }
    }
    return tools === undefined ? context.callTool(name, args) : tools.call(name, args, context)
  },
})

const tooLate = (timeoutMs: number): FaultError =>
  new FaultError({
    code: 'timeout',
    message: `It took longer than ${timeoutMs / 1000} s.`,
    retryable: false,
  })
