/**
 * One connection to a server, from the handshake on. Whatever goes wrong is thrown as `McpFailure`
 * with what the server did and said.
 */

import type { z } from 'zod'
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
}

export interface Session {
  readonly offersTools: boolean
  /** False when it ended. */
  readonly isOpen: boolean
  ask<T>(question: Question, schema: z.ZodType<T>, limits: AskLimits): Promise<T>
  /** Never rejects. Nothing of the server is alive afterwards. */
  close(): Promise<void>
}

export interface Question {
  readonly method: 'tools/list' | 'tools/call'
  readonly params: Record<string, unknown>
}

export interface AskLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

export async function openSession(
  server: McpServer,
  options: SessionOptions,
  { signal, timeoutMs }: AskLimits,
): Promise<Session> {
  const { Client } = await import('@modelcontextprotocol/client')
  const transport = await transportTo(server, options)
  // No capabilities: a server can ask us for nothing, neither for people's input nor for models.
  const client = new Client({ name: 'loopwright', version: '1' }, { capabilities: {} })
  let isOpen = true
  Object.assign(client, {
    onclose() {
      isOpen = false
    },
  })
  const close = async (): Promise<void> => {
    await transport.close().catch(() => {})
  }
  try {
    await client.connect(transport, { signal, timeout: timeoutMs })
  } catch (error) {
    await close()
    throw explained(toMcpFailure(error, signal), transport)
  }
  return {
    offersTools: client.getServerCapabilities()?.tools !== undefined,
    get isOpen() {
      return isOpen
    },
    async ask(question, schema, ask) {
      try {
        ask.signal.throwIfAborted()
        const limits = { signal: ask.signal, timeout: ask.timeoutMs }
        return await client.request(question, schema, limits)
      } catch (error) {
        const failure = toMcpFailure(error, ask.signal)
        // A transport by HTTP does not notice by itself.
        if (failure.code === 'server-gone') isOpen = false
        throw explained(failure, transport)
      }
    },
    close,
  }
}

function transportTo(server: McpServer, options: SessionOptions): Promise<ServerTransport> {
  if ('url' in server) return createHttpTransport(server)
  const cwd = server.cwd ?? options.cwd
  const { environment, markProcesses } = options
  const { command, env } = server
  return Promise.resolve(createStdioTransport({ command, env, cwd, environment, markProcesses }))
}

/** The reason is often only in what the server wrote. */
function explained(failure: McpFailure, transport: ServerTransport): McpFailure {
  const needsReason = failure.code === 'server-gone' || failure.code === 'timeout'
  const trouble = needsReason ? transport.trouble() : undefined
  if (trouble === undefined || failure.message.includes(trouble)) return failure
  const { cause, code, message } = failure
  const reason = sentence(trouble.charAt(0).toUpperCase() + trouble.slice(1))
  return new McpFailure(code, `${sentence(message)} ${reason}`, { cause })
}
