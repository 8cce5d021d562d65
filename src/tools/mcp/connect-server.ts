/**
 * One MCP server as tools: a session, its tools under unique names, and a new session when one is
 * lost.
 */

import type { Risk } from '../../loop/index.ts'
import type { Tool } from '../tool.ts'
import type { McpOptions, McpProblem } from './connect-mcp.ts'
import { type ListedTool, type Listing, listTools } from './list-tools.ts'
import { createMcpConnection, type McpConnection } from './mcp-connection.ts'
import { McpFailure, type McpFailureCode, toMcpFailure } from './mcp-failure.ts'
import { describeLocation, type McpServer, serverProblem } from './mcp-server.ts'
import { type AskLimits, openSession, type Session } from './mcp-session.ts'
import { plainText, sentence } from './plain-text.ts'
import { toolNames } from './tool-names.ts'
import { callResultSchema, toToolResult } from './tool-result.ts'
import { toRisk } from './tool-risk.ts'

const defaultConnectTimeoutMs = 30_000
const defaultTimeoutMs = 2 * 60_000
/** The registry's limit comes after ours, so that the message can include what the server did. */
const graceMs = 1000
const nameCharsMax = 60

export interface ConnectedServer {
  readonly tools: readonly Tool[]
  readonly problems: readonly McpProblem[]
  readonly connection?: McpConnection
}

export async function connectServer(
  name: string,
  server: McpServer,
  options: McpOptions,
): Promise<ConnectedServer> {
  const problem = serverProblem(name, server)
  if (problem !== undefined) return { tools: [], problems: [{ server: name, message: problem }] }
  const outer = options.signal ?? new AbortController().signal
  try {
    const { listing, session } = await openAndUse(
      server,
      options,
      outer,
      async (first, limits) => ({
        session: first,
        listing: await listTools(first, limits),
      }),
    )
    const connection = createMcpConnection(session, (signal) =>
      openAndUse(server, options, signal, async (again) => again),
    )
    return toTools(name, server, listing, connection, options)
  } catch (error) {
    const { code, message } = toMcpFailure(error, outer)
    const text = `${describeLocation(server)} cannot be used: ${sentence(message)}${nextSteps[code] ?? ''}`
    return { tools: [], problems: [{ server: name, message: text }] }
  }
}

/** Opens a session and uses it, within one time limit for both. */
async function openAndUse<T>(
  server: McpServer,
  { connectTimeoutMs: timeoutMs = defaultConnectTimeoutMs, ...options }: McpOptions,
  outer: AbortSignal,
  use: (session: Session, limits: AskLimits) => Promise<T>,
): Promise<T> {
  const { cwd, environment = process.env, markProcesses, startServer } = options
  const end = new AbortController()
  const stop = (): void => end.abort(outer.reason)
  outer.addEventListener('abort', stop, { once: true })
  if (outer.aborted) stop()
  const timer = setTimeout(() => end.abort(new DOMException('', 'TimeoutError')), timeoutMs)
  const limits = { signal: end.signal, timeoutMs }
  let session: Session | undefined
  try {
    const place = { cwd, environment, markProcesses, startServer }
    session = await openSession(server, place, limits)
    return await use(session, limits)
  } catch (error) {
    await session?.close()
    throw error
  } finally {
    clearTimeout(timer)
    outer.removeEventListener('abort', stop)
  }
}

const nextSteps: Readonly<Partial<Record<McpFailureCode, string>>> = {
  timeout: ' Start it by hand to see what it waits for.',
  'server-gone': ' Check that it can be started or reached, or remove it from the servers.',
  'bad-answer': ' Check that it is an MCP server, and its version.',
}

function toTools(
  name: string,
  server: McpServer,
  { problems, tools }: Listing,
  connection: McpConnection,
  { timeoutMs = defaultTimeoutMs }: McpOptions,
): ConnectedServer {
  const names = toolNames(
    name,
    tools.map((tool) => tool.name),
  )
  const isRemote = 'url' in server
  const named = tools.flatMap((tool) => {
    const known = names.get(tool.name)
    const risk = toRisk(tool.annotations, isRemote)
    return known === undefined
      ? []
      : [toTool({ server: name, known, risk, timeoutMs }, tool, connection)]
  })
  const lost = tools.length - named.length
  const clash = `Left out ${lost} tools whose names clash with others. Report it to the server's authors.`
  const messages = lost === 0 ? problems : [...problems, clash]
  return {
    tools: named,
    problems: messages.map((message) => ({ server: name, message })),
    connection,
  }
}

interface ToolNaming {
  readonly server: string
  readonly known: string
  readonly risk: Risk
  readonly timeoutMs: number
}

function toTool(
  { known, risk, server, timeoutMs }: ToolNaming,
  { description, name, output, parameters }: ListedTool,
  connection: McpConnection,
): Tool {
  return {
    name: known,
    description,
    parameters,
    risk,
    timeoutMs: timeoutMs + graceMs,
    async run(args, { signal }) {
      const request = { method: 'tools/call', params: { name, arguments: args } } as const
      try {
        const result = await connection.ask(request, callResultSchema, { signal, timeoutMs })
        return toToolResult(result, output)
      } catch (error) {
        const { cause, code, message } = toMcpFailure(error, signal)
        const shown = plainText(name, nameCharsMax)
        throw new McpFailure(code, `${shown} of the MCP server ${server}: ${message}`, { cause })
      }
    },
  }
}
