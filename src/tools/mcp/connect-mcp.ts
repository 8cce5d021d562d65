/**
 * MCP servers as tools. Servers are connected in parallel, each within a time limit; one that
 * cannot be reached or misbehaves is reported as a problem, and the others work. Sandboxed servers
 * are connected one after the other: none runs while the sandbox of another is set up.
 *
 * A server is not trusted. Its tool descriptions are shown to models, so they are shortened and
 * cleaned, but they may still be meant to mislead: connect only servers that you trust as much as a
 * dependency. The tools are those of the first listing; later changes by the server are ignored.
 */

import type { StartProcess } from '../../engine/index.ts'
import type { Tool } from '../tool.ts'
import type { McpServer } from './mcp-server.ts'
import type { MarkProcesses } from './server-process.ts'

/** Options of `connectMcp`. */
export interface McpOptions {
  /** The working folder of programs without a separate one. */
  readonly cwd?: string
  /** Stops connecting. What is connected by then is closed. */
  readonly signal?: AbortSignal
  /** To connect and to list the tools, for each server; also to reconnect. */
  readonly connectTimeoutMs?: number
  /** For one call. */
  readonly timeoutMs?: number
  /** The source of PATH, HOME, LANG and TMPDIR. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Default: only the process groups of servers are killed, not processes that left them. */
  readonly markProcesses?: MarkProcesses
  /** Where programs run, usually a sandbox. Default: plain processes. */
  readonly startServer?: StartProcess
}

/** The tools of the connected MCP servers. Close it to end them. */
export interface McpTools {
  readonly tools: readonly Tool[]
  readonly problems: readonly McpProblem[]
  /**
   * Ends all connections and everything that the servers started. Calls in progress fail. Never
   * rejects.
   */
  close(): Promise<void>
}

/** An MCP server that could not be used, and why. */
export interface McpProblem {
  readonly server: string
  /** What is wrong and what to do. */
  readonly message: string
}

const none: McpTools = { tools: [], problems: [], close: async () => undefined }

/** Rejects only if the signal aborts. */
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
