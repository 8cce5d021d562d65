/**
 * A session with an agent, from the handshake on. The SDK hands answers on as they are, so they are read
 * here.
 *
 * We offer the agent nothing: no files and no terminals of ours. It is inside the walls and has its own.
 */

import type { ClientConnection, McpServerStdio } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { defined, FaultError, type Json } from '../../loop/index.ts'

export interface SessionOptions {
  /** How the agent is called, for messages. */
  readonly name: string
  /** The workspace, as the agent sees it. */
  readonly cwd: string
  /** One of the ways to authenticate that the agent offers; none unless told. */
  readonly authMethod?: string | undefined
  /** One of its modes, and one of its models. */
  readonly mode?: string | undefined
  readonly model?: string | undefined
  readonly mcpServers?: readonly AcpMcpServer[] | undefined
  /** What this very agent understands besides the protocol, for its new session. */
  readonly sessionMeta?: { readonly [key: string]: Json } | undefined
  /** For those who would else have a model find one, when the work is done. */
  readonly title?: string | undefined
}

/** A server that the agent is to start for itself, where it is. */
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
  /** Asks it to stop what it does for the prompt. Never rejects. */
  cancel(): Promise<void>
}

/** Rejects with a fault where another try would end in the same way. */
export async function openAcpSession(
  agent: AgentSide,
  options: SessionOptions,
  onHandshake: () => void,
): Promise<AcpSession> {
  const { authMethods, protocolVersion } = read(
    initializeSchema,
    await agent.request('initialize', {
      protocolVersion: version,
      clientInfo: { name: 'loopwright', version: '1' },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
    'initialize',
  )
  onHandshake()
  if (protocolVersion !== version) throw otherVersion(options.name, protocolVersion)
  const explained = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw isAuthRequired(error) ? needsLogin(options, authMethods, error) : error
    })
  const { authMethod } = options
  if (authMethod !== undefined) {
    if (!authMethods.some(({ id }) => id === authMethod)) throw needsLogin(options, authMethods)
    await explained(agent.request('authenticate', { methodId: authMethod }))
  }
  const id = await explained(openSession(agent, options))
  return {
    id,
    async prompt(text) {
      const question = { sessionId: id, prompt: [{ type: 'text' as const, text: asTask(text) }] }
      const answer = await explained(agent.request('session/prompt', question))
      return read(promptSchema, answer, 'session/prompt').stopReason
    },
    cancel: () => agent.notify('session/cancel', { sessionId: id }).catch(() => undefined),
  }
}

/** What begins with a slash is a command of the agent, and often done without a question to a model. */
const asTask = (prompt: string): string =>
  /^\s*\//.test(prompt) ? `Task: ${prompt.trimStart()}` : prompt

async function openSession(agent: AgentSide, options: SessionOptions): Promise<string> {
  const { cwd, mcpServers = [], mode, model, name, sessionMeta, title } = options
  const answer = await agent.request('session/new', {
    cwd,
    mcpServers: mcpServers.map(toServer),
    ...defined({ _meta: sessionMeta }),
  })
  const { configOptions, sessionId } = read(sessionSchema, answer, 'session/new')
  if (mode !== undefined) await agent.request('session/set_mode', { sessionId, modeId: mode })
  // No part of the protocol yet; an agent that does not know it goes on without.
  if (title !== undefined)
    await agent.request('session/set_title', { sessionId, title }).catch(() => undefined)
  if (model === undefined) return sessionId
  const option = configOptions.find(
    ({ category, type }) => category === 'model' && type === 'select',
  )
  if (option === undefined) throw noModels(name)
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

function read<T>(schema: z.ZodType<T>, answer: unknown, method: string): T {
  const { data } = schema.safeParse(answer)
  if (data === undefined) throw new Error(`it answered ${method} with something else than it must`)
  return data
}

const fatal = (code: string, message: string, cause?: unknown): FaultError =>
  new FaultError({ code, message, retryable: false, fatal: true }, { cause })

const otherVersion = (name: string, found: number): FaultError =>
  fatal(
    'agent-not-supported',
    `${name} speaks version ${found} of ACP and not version ${version}. Install a version of it that does.`,
  )

const noModels = (name: string): FaultError =>
  fatal(
    'agent-not-supported',
    `${name} lets nobody choose its model by ACP. Take the model out, or give it by agent.args or agent.env.`,
  )

const isAuthRequired = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === authRequired

function needsLogin(
  { name, authMethod }: SessionOptions,
  methods: readonly { readonly id: string; readonly name: string }[],
  cause?: unknown,
): FaultError {
  const offered = methods
    .slice(0, 10)
    .map((method) => `${method.id.slice(0, 100)} (${method.name.slice(0, 100)})`)
  const ways = offered.length === 0 ? 'It names no way' : `It offers: ${offered.join(', ')}`
  const tried = authMethod === undefined ? '' : ` "${authMethod}" did not do.`
  return fatal(
    'agent-needs-login',
    `${name} wants to be authenticated.${tried} ${ways}. Name one in agent.auth, and the variables ` +
      'that it needs in agent.env.',
    cause,
  )
}
