/**
 * Any agent that speaks the Agent Client Protocol, version 1: its program is started, given a session in
 * the workspace and one prompt, and ended.
 *
 * 1. Only the end of a turn that it declares itself, in which nothing stayed refused and whose model had its
 *    last word, is `claimed`; only then is the report done, or what its last line says (`STATUS: blocked`).
 * 2. When the work is over, however it ended, nothing of the program is alive. It is asked to stop first
 *    (`session/cancel`), and killed a moment later.
 * 3. However much it sends, little is kept, and what is shown has no secrets and no control characters.
 * 4. What it spends is known when its models are behind the gateway. What it says of that itself is not
 *    listened to.
 */

import { type StartProcess } from '../../engine/index.ts'
import {
  type AgentContext,
  type AgentReport,
  type AgentTask,
  defined,
  FaultError,
  type Json,
  LoopError,
  textOf,
} from '../../loop/index.ts'
import { within } from '../../system/index.ts'
import type { Agent } from '../agent.ts'
import { reportOf } from '../programs/program-agent.ts'
import { createProgramNotes } from '../programs/program-notes.ts'
import { createRedact, isSecretName, type Redact } from '../redact.ts'
import { conclude, type Ended, notStarted } from './acp-conclusion.ts'
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
  /** Where it runs: a sandbox, usually. */
  readonly start: StartProcess
  /** The workspace as the agent sees it, when that is not where the run has it. */
  readonly cwd?: string
  /** What is answered when it asks before it does something; `all` unless told. */
  readonly permissions?: Permissions
  /** One of the ways to authenticate that it offers, by id. Without one it is not asked to. */
  readonly authMethod?: string
  /** One of its modes, and one of its models, by the ids that it has for them; its own choice unless told. */
  readonly mode?: string
  readonly model?: string
  /** Servers that it is to start for itself; none unless told. */
  readonly mcpServers?: readonly AcpMcpServer[]
  /** What this very agent understands besides the protocol, for its new session. */
  readonly sessionMeta?: { readonly [key: string]: Json }
  /** For its session, where it would else have a model find one. */
  readonly title?: string
  /** Values, over the few that every process gets. */
  readonly env?: Readonly<Record<string, string>>
  /** Takes secrets out of what it says, besides those that it is given here. */
  readonly mask?: (text: string) => string
  /** Told when its turn is over: whatever it asks a model after that is for nobody. */
  readonly onTurnEnded?: () => void
  /** Who knows what it spends; nobody unless told. */
  readonly spending?: 'gateway' | 'subscription' | 'unknown'
  /** How the last answer of its model ended, as the gateway saw it; `other`: cut short or refused. */
  readonly lastAnswer?: () => 'final' | 'calls' | 'other' | undefined
}

/** Between the request to stop and the end. */
const graceMs = 1500

/** An agent that speaks the Agent Client Protocol. */
export function acpAgent(options: AcpAgentOptions): Agent {
  const [name = ''] = options.command
  if (name === '') {
    throw new LoopError('bad-request', 'An ACP agent needs a command: a list with a program.')
  }
  const secrets = Object.entries(options.env ?? {}).filter(([variable]) => isSecretName(variable))
  const redactOwn = createRedact(secrets.map(([, value]) => value))
  const redact: Redact = (text) => redactOwn(options.mask?.(text) ?? text)
  let warned = options.spending === 'gateway'
  return {
    async work(task, context) {
      if (!warned) context.note({ type: 'said', text: unmetered(name, options) })
      warned = true
      return work(options, task, context, redact)
    },
  }
}

const unmetered = (name: string, { spending }: AcpAgentOptions): string =>
  spending === 'subscription'
    ? `${name} works on a subscription of its own: limits of tokens and cost do not hold for it.`
    : `What ${name} spends is not metered: limits of tokens and cost do not hold for it.`

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
  const updates = createSessionUpdates(notes.tell)
  const watch = watchAcp(options, context)
  let connection: AcpConnection | undefined
  try {
    connection = await connect(options, context, { updates, watch })
    const talk = converse(connection, session, prompt, watch)
    const ended = await Promise.race([
      talk.stopped,
      connection.broken.then((broken): Ended => ({ type: 'broken', broken })),
      watch.over.then((end): Ended => ({ type: 'cut', end })),
    ])
    // Before it is ended, which would cut short what it still asks.
    const wasCut = options.lastAnswer?.() === 'other'
    if (ended.type === 'stopped') options.onTurnEnded?.()
    if (ended.type === 'cut') await talk.cancel()
    await endProcess(connection, session.name)
    signal.throwIfAborted()
    updates.end()
    return reportOf(
      conclude(ended, {
        program: session.name,
        updates,
        words: connection.words(),
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

async function connect(
  options: AcpAgentOptions,
  { workspace }: AgentContext,
  { updates, watch }: { readonly updates: SessionUpdates; readonly watch: AcpWatch },
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
      heard: watch.heard,
      updated: updates.update,
      askedPermission({ toolCall, options: offered }) {
        if (watch.isOver) return { outcome: { outcome: 'cancelled' } }
        const kind = updates.asked(toolCall)
        const answer = answerPermission(permissions, kind, offered)
        if (!answer.isAllowed) updates.refused(toolCall.toolCallId)
        return { outcome: answer.outcome }
      },
    })
  } catch (error) {
    throw notStarted(textOf(error), program, error)
  }
}

interface Talk {
  readonly stopped: Promise<Ended>
  /** Asks it to stop, and waits a moment for it. */
  cancel(): Promise<void>
}

function converse(
  { agent }: AcpConnection,
  options: SessionOptions,
  prompt: string,
  watch: AcpWatch,
): Talk {
  let session: AcpSession | undefined
  const talk = async (): Promise<Ended> => {
    try {
      session = await openAcpSession(agent, options, watch.hasAnswered)
      return { type: 'stopped', reason: await session.prompt(prompt) }
    } catch (error) {
      return { type: 'failed', error }
    }
  }
  const stopped = talk()
  return {
    stopped,
    async cancel() {
      if (session === undefined) return
      await within(session.cancel(), graceMs)
      await within(stopped, graceMs)
    },
  }
}

async function endProcess(connection: AcpConnection, name: string): Promise<void> {
  const alive = await connection.close(true)
  if (alive.length === 0) return
  const message = `${name} left processes that cannot be killed: ${alive.join(', ')}.`
  throw new FaultError({ code: 'still-alive', message, retryable: false })
}
