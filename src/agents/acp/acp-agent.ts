/**
 * Any agent that speaks the Agent Client Protocol, version 1: its program is started, given a
 * session in the workspace and one prompt, and ended.
 *
 * 1. Only a turn that the agent itself ends, in which no refusal is left open and whose last
 *   model response was complete, is `claimed`; only then is the report done, or what its last line
 *   says (`STATUS: blocked`).
 * 2. When the work is over, however it ended, no process of the program is alive. It is first
 *   asked to stop (`session/cancel`), and killed shortly after.
 * 3. However much it sends, little is kept, and what is shown contains no secrets and no control
 *   characters.
 * 4. What a person tells it comes as another prompt of the same session: between two tool calls, for which its
 *   turn is cancelled, or after its turn.
 * 5. What it spends is known if its models are behind the gateway. What it reports about that
 *   itself is ignored.
 */

import { type StartProcess } from '../../engine/index.ts'
import {
  type AgentContext,
  type AgentGuidance,
  type AgentReport,
  type AgentTask,
  defined,
  describeGuidance,
  FaultError,
  type Json,
  LoopError,
  textOf,
} from '../../loop/index.ts'
import { settlesWithin } from '../../system/index.ts'
import type { Agent } from '../agent.ts'
import { toReport } from '../programs/program-agent.ts'
import { createProgramNotes } from '../programs/program-notes.ts'
import { createRedact, isSecretName, type Redact } from '../redact.ts'
import { type ConversationEnd, conclude, createStartFault } from './acp-conclusion.ts'
import { type AcpConnection, openAcpConnection } from './acp-connection.ts'
import {
  type AcpMcpServer,
  type AcpSession,
  openAcpSession,
  type SessionOptions,
} from './acp-session.ts'
import { type AcpWatch, type AcpWatchOptions, watchAcp } from './acp-watch.ts'
import { answerPermission, type Permissions } from './permissions.ts'
import { createSessionUpdates, type SessionUpdates } from './session-updates.ts'

/** Options of `acpAgent`. */
export interface AcpAgentOptions extends AcpWatchOptions {
  /** The program and its arguments; there is no shell. */
  readonly command: readonly string[]
  /** Where it runs, usually a sandbox. */
  readonly start: StartProcess
  /** The workspace as the agent sees it, if that differs from the path on the host. */
  readonly cwd?: string
  /** How permission requests are answered. Default: `all`. */
  readonly permissions?: Permissions
  /** One of the authentication methods that it offers, by id. Default: none is requested. */
  readonly authMethod?: string
  /**
   * One of its modes and one of its models, by the agent's own ids. Default: the agent's choice.
   */
  readonly mode?: string
  readonly model?: string
  /** MCP servers that the agent starts itself. Default: none. */
  readonly mcpServers?: readonly AcpMcpServer[]
  /** Agent-specific metadata for the new session, beyond the protocol. */
  readonly sessionMeta?: { readonly [key: string]: Json }
  /** A title for the session; without one, some agents ask a model for it. */
  readonly title?: string
  /** Environment variables, in addition to the few that every process gets. */
  readonly env?: Readonly<Record<string, string>>
  /** Masks secrets in its output, besides those passed here. */
  readonly mask?: (text: string) => string
  /** Called when its turn is over: model calls after that serve no purpose. */
  readonly onTurnEnded?: () => void
  /** What meters its spending. Default: `unknown`. */
  readonly spending?: 'gateway' | 'subscription' | 'unknown'
  /**
   * How the last response of its model ended, as the gateway saw it; `other`: cut short or refused.
   */
  readonly lastAnswer?: () => 'final' | 'calls' | 'other' | undefined
}

/** Between the request to stop and the kill. */
const graceMs = 1500

/** An agent that speaks the Agent Client Protocol. */
export function acpAgent(options: AcpAgentOptions): Agent {
  const [name = ''] = options.command
  if (name === '') {
    throw new LoopError(
      'bad-request',
      'An ACP agent needs a command: a list that starts with a program.',
    )
  }
  const secrets = Object.entries(options.env ?? {}).filter(([variable]) => isSecretName(variable))
  const redactOwn = createRedact(secrets.map(([, value]) => value))
  const redact: Redact = (text) => redactOwn(options.mask?.(text) ?? text)
  let warned = options.spending === 'gateway'
  return {
    async work(task, context) {
      if (!warned) context.note({ type: 'said', text: describeMetering(name, options) })
      warned = true
      return work(options, task, context, redact)
    },
  }
}

const describeMetering = (name: string, { spending }: AcpAgentOptions): string =>
  spending === 'subscription'
    ? `${name} uses its own subscription: token and cost limits do not apply to it.`
    : `The spending of ${name} is not metered: token and cost limits do not apply to it.`

async function work(
  options: AcpAgentOptions,
  { prompt }: AgentTask,
  context: AgentContext,
  redact: Redact,
): Promise<AgentReport> {
  const { signal } = context
  signal.throwIfAborted()
  const session = sessionOptions(options, context)
  const notes = createProgramNotes((note) => context.note(note), redact)
  const updates = createSessionUpdates(notes.report)
  const watch = watchAcp(options, context)
  let connection: AcpConnection | undefined
  try {
    let conversation: Conversation | undefined
    connection = await connect(options, context, {
      updates,
      watch,
      isSteering: () => conversation?.isSteering === true,
      steer: () => conversation?.steer(),
    })
    conversation = converse(connection, session, prompt, watch, context.guidance)
    const ended = await Promise.race([
      conversation.stopped,
      connection.broken.then((broken): ConversationEnd => ({ type: 'broken', broken })),
      watch.over.then((end): ConversationEnd => ({ type: 'cut', end })),
    ])
    // Before it is ended, which would cut short its requests in progress.
    const wasCut = options.lastAnswer?.() === 'other'
    if (ended.type === 'stopped') options.onTurnEnded?.()
    if (ended.type === 'cut') await conversation.cancel()
    await endProcess(connection, session.name)
    signal.throwIfAborted()
    updates.end()
    return toReport(
      conclude(ended, {
        program: session.name,
        updates,
        stderrText: connection.stderrText(),
        wasCut,
        limits: options,
      }),
      redact,
    )
  } finally {
    watch.stop()
    await connection?.close(false)
  }
}

function sessionOptions(options: AcpAgentOptions, { workspace }: AgentContext): SessionOptions {
  const [name = ''] = options.command
  const { authMethod, mode, model, mcpServers, sessionMeta, title } = options
  const cwd = options.cwd ?? workspace
  if (cwd === undefined) throw new LoopError('bad-request', 'An ACP agent needs a workspace.')
  const short = name.slice(name.lastIndexOf('/') + 1)
  return { name: short, cwd, authMethod, mode, model, mcpServers, sessionMeta, title }
}

interface Observers {
  readonly updates: SessionUpdates
  readonly watch: AcpWatch
  /** It is between two tool calls. */
  steer(): void
  isSteering(): boolean
}

async function connect(
  options: AcpAgentOptions,
  { workspace }: AgentContext,
  { updates, watch, steer, isSteering }: Observers,
): Promise<AcpConnection> {
  const { start, env, permissions = 'all' } = options
  const [program = '', ...args] = options.command
  const command = {
    program,
    args,
    ...defined({ cwd: workspace, env }),
  }
  try {
    return await openAcpConnection(start, command, {
      onData: watch.noteOutput,
      onUpdate(params) {
        updates.update(params)
        if (!updates.isCalling) steer()
      },
      onPermissionRequest({ toolCall, options: offered }) {
        if (watch.isOver || isSteering()) return { outcome: { outcome: 'cancelled' } }
        const kind = updates.asked(toolCall)
        const answer = answerPermission(permissions, kind, offered)
        if (!answer.isAllowed) updates.refused(toolCall.toolCallId)
        return { outcome: answer.outcome }
      },
    })
  } catch (error) {
    throw createStartFault(textOf(error), program, error)
  }
}

interface Conversation {
  readonly stopped: Promise<ConversationEnd>
  /** Asks it to stop, and waits briefly for it. */
  cancel(): Promise<void>
  /** It is between two tool calls: it gets new guidance before it continues. */
  steer(): void
  /** Its turn is cancelled, to be continued with what a person said. */
  readonly isSteering: boolean
}

/** A person can hardly tell it more. */
const promptsMax = 100

function converse(
  { agent }: AcpConnection,
  options: SessionOptions,
  prompt: string,
  watch: AcpWatch,
  guidance: AgentGuidance | undefined,
): Conversation {
  let session: AcpSession | undefined
  let isSteering = false
  const conversation = async (): Promise<ConversationEnd> => {
    try {
      session = await openAcpSession(agent, options, watch.markHandshake)
      let reason = await session.prompt(prompt)
      for (let count = 1; count < promptsMax && !watch.isOver; count++) {
        const ended = reason === 'end_turn' || (isSteering && reason === 'cancelled')
        isSteering = false
        const told = ended && guidance?.waiting ? await guidance.take() : []
        if (told.length === 0) break
        reason = await session.prompt(describeGuidance(told))
      }
      return { type: 'stopped', reason }
    } catch (error) {
      return { type: 'failed', error }
    }
  }
  const stopped = conversation()
  return {
    stopped,
    async cancel() {
      if (session === undefined) return
      await settlesWithin(session.cancel(), graceMs)
      await settlesWithin(stopped, graceMs)
    },
    get isSteering() {
      return isSteering
    },
    steer() {
      if (isSteering || session === undefined || !guidance?.waiting || watch.isOver) return
      isSteering = true
      void session.cancel()
    },
  }
}

async function endProcess(connection: AcpConnection, name: string): Promise<void> {
  const alive = await connection.close(true)
  if (alive.length === 0) return
  const message = `${name} left processes that could not be killed: ${alive.join(', ')}.`
  throw new FaultError({ code: 'still-alive', message, retryable: false })
}
