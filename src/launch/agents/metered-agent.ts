/**
 * An agent that reaches its models through the gateway: each step gets a separate URL and token, and no key.
 *
 * E4. The gateway reserves and settles; the agent itself has nothing to reserve.
 * E9. An agent that keeps sending requests after its budget is spent is ended.
 */

import type { Agent } from '../../agents/index.ts'
import {
  type Exchange,
  faultOf,
  type Gateway,
  type GatewayNote,
  type ReplaySettings,
  type Session,
  type SessionOptions,
  type SessionTotals,
  type SessionTrouble,
  writeExchange,
} from '../../gateway/index.ts'
import {
  type AgentContext,
  type AgentReport,
  type AgentTask,
  defined,
  FaultError,
  type Reservation,
  type Signal,
  textOf,
} from '../../loop/index.ts'
import { maskDeep } from '../../system/mask.ts'

export interface MeteredAgentOptions {
  gateway(): Promise<Gateway>
  /** Creates the agent of one step, with its session. */
  make(session: Session, context: AgentContext): Promise<Agent>
  /** Providers and keys, if they differ from the defaults. */
  readonly access?: Pick<SessionOptions, 'providers' | 'keys' | 'routes'>
  /** The variable of a provider's key, for messages about a refused key. */
  keyVariable(provider: string): string
  /** What must not be recorded, besides keys. */
  readonly secrets?: readonly string[]
  /** Answers from the recording. A request without a recorded answer fails. */
  readonly replay?: (at: ReplayPosition) => ReplaySettings | undefined
}

export interface ReplayPosition {
  readonly iteration: number
  readonly step: string
}

export function meteredAgent(options: MeteredAgentOptions): Agent {
  return {
    async work(task, context) {
      const gateway = await options.gateway()
      const refusals = createRefusalWatch(context.signal)
      const session = await gateway.session({
        ...toSessionOptions(options, context),
        note(note) {
          noteWaiting(context, note)
          if (note.type !== 'exchange-ended') return
          const isOver = refusals.saw(session.totals.trouble, note.provider)
          // Requests that it sends while it is being ended are not part of its work.
          if (isOver) void session.close()
        },
      })
      try {
        return await workInSession(session, options, task, context, refusals)
      } finally {
        refusals.end()
        await session.close()
      }
    },
  }
}

async function workInSession(
  session: Session,
  { make, keyVariable }: MeteredAgentOptions,
  task: AgentTask,
  context: AgentContext,
  { signal, lastProvider }: RefusalWatch,
): Promise<AgentReport> {
  const faultIn = (totals: SessionTotals): FaultError | undefined =>
    withAdvice(faultOf(totals), lastProvider(), keyVariable)
  let report: AgentReport
  try {
    const agent = await make(session, context)
    report = maskDeep(
      session.maskText,
      await agent.work(task, withSession(session, context, signal)),
    )
  } catch (error) {
    const totals = await session.close()
    context.signal.throwIfAborted()
    throw withoutSecrets(session, faultIn(totals) ?? error)
  }
  const totals = await session.close()
  context.signal.throwIfAborted()
  // The agent can only guess the cause of a failure; the gateway knows it.
  const isDoubtful = report.status === 'failed' || totals.diverged !== undefined || signal.aborted
  const fault = isDoubtful ? faultIn(totals) : undefined
  if (fault !== undefined) throw withoutSecrets(session, fault)
  return { ...report, usage: totals.spent }
}

/** Masks again: a provider may echo a key in pieces, which only the assembled answer shows. */
function withSession(session: Session, context: AgentContext, signal: Signal): AgentContext {
  return {
    ...context,
    signal,
    reserve: async () => nothingReserved,
    note: (note) => context.note(maskDeep(session.maskText, note)),
    callTool: (name, args) => context.callTool(name, maskDeep(session.maskText, args)),
  }
}

/** Keeps only the message, because the cause of an error may contain anything. */
function withoutSecrets(session: Session, error: unknown): unknown {
  if (error instanceof FaultError) return new FaultError(maskDeep(session.maskText, error.fault))
  const text = textOf(error)
  const safe = session.maskText(text)
  return safe === text ? error : new Error(safe)
}

/** Adds where the key came from, which only this file knows. */
function withAdvice(
  error: FaultError | undefined,
  provider: string | undefined,
  keyVariable: (provider: string) => string,
): FaultError | undefined {
  if (error?.fault.code !== 'provider-denied' || provider === undefined) return error
  const message = `${error.fault.message} Check ${keyVariable(provider)} and the account behind it.`
  return new FaultError({ ...error.fault, message })
}

const nothingReserved: Reservation = { settle: async () => undefined }

function toSessionOptions(options: MeteredAgentOptions, context: AgentContext): SessionOptions {
  const { access, secrets, replay } = options
  const { iteration, step, reserve, signal } = context
  return {
    ...access,
    step: `${iteration}/${step}`,
    reserve,
    signal,
    remaining: () => context.remaining(),
    record: (exchange) => storeExchange(context, exchange),
    ...defined({ secrets }),
    ...(replay === undefined ? {} : { replay: replay({ iteration, step }) ?? { exchanges: [] } }),
  }
}

interface RefusalWatch {
  /** Aborts when the run stops, or when the agent has no chance to continue. */
  readonly signal: AbortSignal
  /** Returns true when the agent must end. */
  saw(trouble: SessionTrouble | undefined, provider: string): boolean
  /** The provider of the last request. */
  lastProvider(): string | undefined
  end(): void
}

/** How many requests in a row may be refused: the agent needs a few to finish its work. */
const refusalsMax = 6

const hopeless: ReadonlySet<string> = new Set(['budget', 'not-allowed', 'unknown-model'])

function createRefusalWatch(signal: Signal): RefusalWatch {
  const stop = new AbortController()
  const forward = (): void => stop.abort(signal.reason)
  let refusals = 0
  let last: string | undefined
  signal.addEventListener('abort', forward, { once: true })
  if (signal.aborted) forward()
  return {
    signal: stop.signal,
    lastProvider: () => last,
    saw(trouble, provider) {
      last = provider
      refusals = trouble !== undefined && hopeless.has(trouble.kind) ? refusals + 1 : 0
      if (refusals >= refusalsMax) stop.abort()
      return refusals >= refusalsMax
    },
    end: () => signal.removeEventListener('abort', forward),
  }
}

function noteWaiting(context: AgentContext, note: GatewayNote): void {
  if (note.type !== 'waiting') return
  const { untilMs, message } = note
  context.note({ type: 'waiting', untilMs, message })
}

async function storeExchange(context: AgentContext, exchange: Exchange): Promise<void> {
  const { ordinal, provider, model, ended, spent, isEstimated, durationMs } = exchange
  const seen = { ordinal, provider, model, ended, spent, isEstimated, durationMs }
  await context.keepExchange?.({ ...seen, content: await writeExchange(exchange) })
}
