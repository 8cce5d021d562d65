/**
 * MCP servers as tools. Servers are connected side by side, each within a time limit; one that cannot
 * be reached or misbehaves is a problem with a reason, and the others work. Those in a sandbox are
 * connected one after the other: none runs while the walls of another are put up.
 *
 * A server is a stranger. What it says of its tools is shown to models, so it is cut and cleaned, but
 * it may still be meant to mislead: connect only servers that you trust as much as a dependency.
 * The tools are those of the first listing. A server that changes its mind later changes nothing.
 */

import type { StartProcess } from '../../engine/index.ts'
import type { Tool } from '../tool.ts'
import type { McpServer } from './mcp-server.ts'
import type { MarkProcesses } from './server-process.ts'

/** Options of `connectMcp`. */
export interface McpOptions {
  /** Where programs start that have no folder of their own. */
  readonly cwd?: string
  /** Ends connecting. What is connected by then is closed. */
  readonly signal?: AbortSignal
  /** To connect and to list the tools, for each server; also to connect again. */
  readonly connectTimeoutMs?: number
  /** For one call. */
  readonly timeoutMs?: number
  /** Where PATH, HOME, LANG and TMPDIR come from; the environment of this process by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Without it only the process groups of servers are killed, not what leaves them. */
  readonly markProcesses?: MarkProcesses
  /** Where programs run: a sandbox, usually. Without it they are plain processes. */
  readonly startServer?: StartProcess
}

/** The tools of the connected MCP servers. Close it to end them. */
export interface McpTools {
  readonly tools: readonly Tool[]
  readonly problems: readonly McpProblem[]
  /** Ends all connections and all that the servers started. Calls under way fail. Never rejects. */
  close(): Promise<void>
}

/** An MCP server that could not be used, and why. */
export interface McpProblem {
  readonly server: string
  /** What is wrong and what to do. */
  readonly message: string
}

const none: McpTools = { tools: [], problems: [], close: async () => undefined }

/** Rejects only when the signal aborts. */
export async function connectMcp(
  servers: Readonly<Record<string, McpServer>>,
  options: McpOptions = {},
): Promise<McpTools> {
  options.signal?.throwIfAborted()
  if (Object.keys(servers).length === 0) return none
  const { connectServer } = await import('./connect-server.ts')
  let last: Promise<unknown> = Promise.resolve()
  const connected = await Promise.all(
    Object.entries(servers).map(([name, server]) => {
      if ('url' in server || options.startServer === undefined)
        return connectServer(name, server, options)
      const next = last.then(() => connectServer(name, server, options))
      last = next
      return next
    }),
  )
  const close = async (): Promise<void> => {
    await Promise.all(connected.map(async (one) => one.connection?.close()))
  }
  if (options.signal?.aborted === true) {
    await close()
    options.signal.throwIfAborted()
  }
  return {
    tools: connected.flatMap((one) => one.tools),
    problems: connected.flatMap((one) => one.problems),
    close,
  }
}
