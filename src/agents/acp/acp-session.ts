/**
 * A session with an agent, from the handshake on. The SDK passes responses through unchecked, so
 * they are parsed here.
 *
 * We offer the agent nothing: no file access and no terminals. It is inside the sandbox and has its
 * own.
 */

import type { ClientConnection, McpServerStdio } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { defined, FaultError, type Json } from '../../loop/index.ts'

export interface SessionOptions {
  /** The name of the agent, for messages. */
  readonly name: string
  /** The workspace, as the agent sees it. */
  readonly cwd: string
  /** One of the authentication methods that the agent offers. Default: none. */
  readonly authMethod?: string | undefined
  /** One of its modes, and one of its models. */
  readonly mode?: string | undefined
  readonly model?: string | undefined
  readonly mcpServers?: readonly AcpMcpServer[] | undefined
  /** Agent-specific metadata for the new session, beyond the protocol. */
  readonly sessionMeta?: { readonly [key: string]: Json } | undefined
  /** For agents that would otherwise ask a model for one at the end. */
  readonly title?: string | undefined
}

/** An MCP server that the agent starts itself, in its own environment. */
export interface AcpMcpServer {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const
export type StopReason = (typeof stopReasons)[number]

type AgentSide = ClientConnection['agent']

const version = 1
const authRequired = -32_000
const word = z.string().catch('')
const initializeSchema = z.object({
  protocolVersion: z.number(),
  authMethods: z.array(z.object({ id: z.string(), name: word })).catch([]),
})
const sessionSchema = z.object({
  sessionId: z.string(),
  configOptions: z.array(z.looseObject({ id: z.string(), category: word, type: word })).catch([]),
})
const promptSchema = z.object({
  stopReason: z.enum(stopReasons),
})

export interface AcpSession {
  readonly id: string
  prompt(text: string): Promise<StopReason>
  /** Asks it to stop working on the prompt. Never rejects. */
  cancel(): Promise<void>
}

/** Rejects with a fault if another attempt would end in the same way. */
export async function openAcpSession(
  agent: AgentSide,
  options: SessionOptions,
  onHandshake: () => void,
): Promise<AcpSession> {
  const { authMethods, protocolVersion } = parseResponse(
    initializeSchema,
    await agent.request('initialize', {
      protocolVersion: version,
      clientInfo: { name: 'loopwright', version: '1' },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
    'initialize',
  )
  onHandshake()
  if (protocolVersion !== version) throw createVersionFault(options.name, protocolVersion)
  const explainAuth = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw isAuthRequired(error) ? createLoginFault(options, authMethods, error) : error
    })
  const { authMethod } = options
  if (authMethod !== undefined) {
    if (!authMethods.some(({ id }) => id === authMethod))
      throw createLoginFault(options, authMethods)
    await explainAuth(agent.request('authenticate', { methodId: authMethod }))
  }
  const id = await explainAuth(openSession(agent, options))
  return {
    id,
    async prompt(text) {
      const question = {
        sessionId: id,
        prompt: [{ type: 'text' as const, text: escapeCommand(text) }],
      }
      const answer = await explainAuth(agent.request('session/prompt', question))
      return parseResponse(promptSchema, answer, 'session/prompt').stopReason
    },
    cancel: () => agent.notify('session/cancel', { sessionId: id }).catch(() => undefined),
  }
}

/** Text that starts with a slash is a command of the agent, often run without a model call. */
const escapeCommand = (prompt: string): string =>
  /^\s*\//.test(prompt) ? `Task: ${prompt.trimStart()}` : prompt

async function openSession(agent: AgentSide, options: SessionOptions): Promise<string> {
  const { cwd, mcpServers = [], mode, model, name, sessionMeta, title } = options
  const answer = await agent.request('session/new', {
    cwd,
    mcpServers: mcpServers.map(toServer),
    ...defined({ _meta: sessionMeta }),
  })
  const { configOptions, sessionId } = parseResponse(sessionSchema, answer, 'session/new')
  if (mode !== undefined) await agent.request('session/set_mode', { sessionId, modeId: mode })
  // Not part of the protocol yet; an agent that does not know it continues without.
  if (title !== undefined)
    await agent.request('session/set_title', { sessionId, title }).catch(() => undefined)
  if (model === undefined) return sessionId
  const option = configOptions.find(
    ({ category, type }) => category === 'model' && type === 'select',
  )
  if (option === undefined) throw createModelFault(name)
  const configId = option.id
  await agent.request('session/set_config_option', { sessionId, configId, value: model })
  return sessionId
}

const toServer = ({ name, command, args, env = {} }: AcpMcpServer): McpServerStdio => ({
  name,
  command,
  args: [...args],
  env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
})

function parseResponse<T>(schema: z.ZodType<T>, answer: unknown, method: string): T {
  const { data } = schema.safeParse(answer)
  if (data === undefined) throw new Error(`its response to ${method} is invalid`)
  return data
}

const fatal = (code: string, message: string, cause?: unknown): FaultError =>
  new FaultError({ code, message, retryable: false, fatal: true }, { cause })

const createVersionFault = (name: string, found: number): FaultError =>
  fatal(
    'agent-not-supported',
    `${name} speaks ACP version ${found}, not version ${version}. Install a release that speaks version ${version}.`,
  )

const createModelFault = (name: string): FaultError =>
  fatal(
    'agent-not-supported',
    `${name} does not support choosing its model over ACP. Remove the model, or set it in agent.args or agent.env.`,
  )

const isAuthRequired = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === authRequired

function createLoginFault(
  { name, authMethod }: SessionOptions,
  methods: readonly { readonly id: string; readonly name: string }[],
  cause?: unknown,
): FaultError {
  const offered = methods
    .slice(0, 10)
    .map((method) => `${method.id.slice(0, 100)} (${method.name.slice(0, 100)})`)
  const ways =
    offered.length === 0 ? 'It offers no authentication method' : `It offers: ${offered.join(', ')}`
  const tried = authMethod === undefined ? '' : ` "${authMethod}" did not work.`
  return fatal(
    'agent-needs-login',
    `${name} requires authentication.${tried} ${ways}. Set one in agent.auth, and the variables ` +
      'that it needs in agent.env.',
    cause,
  )
}
