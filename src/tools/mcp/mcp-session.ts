/**
 * One connection to a server, from the handshake on. All failures are thrown as `McpFailure`, with
 * what the server did and wrote.
 */

import type { VersionNegotiationOptions } from '@modelcontextprotocol/client'
import type { z } from 'zod'
import type { StartProcess } from '../../engine/index.ts'
import { createHttpTransport } from './http-transport.ts'
import { McpFailure, toMcpFailure } from './mcp-failure.ts'
import type { McpServer } from './mcp-server.ts'
import { sentence } from './plain-text.ts'
import type { MarkProcesses } from './server-process.ts'
import { createStdioTransport } from './stdio-transport.ts'
import type { ServerTransport } from './transport.ts'

export interface SessionOptions {
  readonly cwd?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly markProcesses?: MarkProcesses | undefined
  readonly startServer?: StartProcess | undefined
}

export interface Session {
  readonly offersTools: boolean
  /** False after it ended. */
  readonly isOpen: boolean
  ask<T>(request: McpRequest, schema: z.ZodType<T>, limits: AskLimits): Promise<T>
  /** Never rejects. No process of the server is alive afterwards. */
  close(): Promise<void>
}

export interface McpRequest {
  readonly method: 'tools/list' | 'tools/call'
  readonly params: Record<string, unknown>
}

export interface AskLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** The protocol version without a handshake. Almost all servers know the earlier ones. */
const modernProtocol = '2026-07-28'
const probeMsMax = 5000

export async function openSession(
  server: McpServer,
  options: SessionOptions,
  limits: AskLimits,
): Promise<Session> {
  try {
    return await openWith({ mode: 'legacy' }, server, options, limits)
  } catch (error) {
    if (!isHandshakeRefused(error)) throw error
    const probe = { timeoutMs: Math.min(limits.timeoutMs, probeMsMax) }
    return openWith({ mode: { pin: modernProtocol }, probe }, server, options, limits).catch(() => {
      throw error
    })
  }
}

/** The server may know only the protocol without a handshake. */
function isHandshakeRefused(error: unknown): boolean {
  if (!(error instanceof McpFailure)) return false
  const { status } = (error.cause ?? {}) as { status?: unknown }
  return error.code === 'tool-failed' || error.code === 'bad-arguments' || status === 400
}

async function openWith(
  versionNegotiation: VersionNegotiationOptions,
  server: McpServer,
  options: SessionOptions,
  { signal, timeoutMs }: AskLimits,
): Promise<Session> {
  const { Client } = await import('@modelcontextprotocol/client')
  const transport = await createTransport(server, options)
  // No capabilities: a server cannot request anything from us, neither user input nor model calls.
  const client = new Client(
    { name: 'loopwright', version: '1' },
    { capabilities: {}, inputRequired: { autoFulfill: false }, versionNegotiation },
  )
  const during = transport.during?.bind(transport) ?? (<T>(work: () => Promise<T>) => work())
  let isOpen = true
  const close = async (): Promise<void> => {
    isOpen = false
    await transport.close().catch(() => {})
  }
  // The SDK ignores the signal before the handshake.
  const stop = (): void => void close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    await during(() => client.connect(transport, { signal, timeout: timeoutMs }))
  } catch (error) {
    await close()
    throw addReason(toMcpFailure(error, signal), transport)
  } finally {
    signal.removeEventListener('abort', stop)
  }
  return {
    offersTools: client.getServerCapabilities()?.tools !== undefined,
    get isOpen() {
      return isOpen && client.transport !== undefined
    },
    async ask(request, schema, ask) {
      try {
        ask.signal.throwIfAborted()
        const limits = { signal: ask.signal, timeout: ask.timeoutMs }
        return await during(() => client.request(request, schema, limits))
      } catch (error) {
        const failure = toMcpFailure(error, ask.signal)
        // An HTTP transport does not notice by itself.
        if (failure.code === 'server-gone') isOpen = false
        throw addReason(failure, transport)
      }
    },
    close,
  }
}

function createTransport(server: McpServer, options: SessionOptions): Promise<ServerTransport> {
  if ('url' in server) return createHttpTransport(server)
  const cwd = server.cwd ?? options.cwd
  const { command, env } = server
  return Promise.resolve(createStdioTransport({ ...options, command, env, cwd }))
}

/** The reason is often only in the output of the server. */
function addReason(failure: McpFailure, transport: ServerTransport): McpFailure {
  const needsReason = failure.code === 'server-gone' || failure.code === 'timeout'
  const trouble = needsReason ? transport.trouble() : undefined
  if (trouble === undefined || failure.message.includes(trouble)) return failure
  const { cause, code, message } = failure
  const reason = sentence(trouble.charAt(0).toUpperCase() + trouble.slice(1))
  return new McpFailure(code, `${sentence(message)} ${reason}`, { cause })
}
