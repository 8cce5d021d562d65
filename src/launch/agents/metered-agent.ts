/**
 * An agent whose models are behind the gateway: for each step it gets an address and a token of its own,
 * and no key.
 *
 * E4. The gateway reserves and settles; the agent itself has nothing to reserve.
 * E9. An agent that is told that there is nothing left for it, and asks on and on, is ended.
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
import { masked } from '../../system/mask.ts'

export interface MeteredAgentOptions {
  gateway(): Promise<Gateway>
  /** The agent of one step, led to its session. */
  make(session: Session, context: AgentContext): Promise<Agent>
  /** Which providers answer, and with which keys, where that is not the usual. */
  readonly access?: Pick<SessionOptions, 'providers' | 'keys' | 'routes'>
  /** The variable that a provider's key is in, for those whose key is refused. */
  keyVariable(provider: string): string
  /** What must not be on record, besides keys. */
  readonly secrets?: readonly string[]
  /** Answers from the record. Where nothing is recorded, nothing is answered. */
  readonly replay?: (at: ReplayPlace) => ReplaySettings | undefined
}

export interface ReplayPlace {
  readonly iteration: number
  readonly step: string
}

export function meteredAgent(options: MeteredAgentOptions): Agent {
  return {
    async work(task, context) {
      const gateway = await options.gateway()
      const patience = createPatience(context.signal)
      const session = await gateway.session({
        ...sessionFor(options, context),
        note(note) {
          tell(context, note)
          if (note.type !== 'exchange-ended') return
          const isOver = patience.saw(session.totals.trouble, note.provider)
          // What it asks while it is ended is no part of its work.
          if (isOver) void session.close()
        },
      })
      try {
        return await workIn(session, options, task, context, patience)
      } finally {
        patience.end()
        await session.close()
      }
    },
  }
}

async function workIn(
  session: Session,
  { make, keyVariable }: MeteredAgentOptions,
  task: AgentTask,
  context: AgentContext,
  { signal, asked }: Patience,
): Promise<AgentReport> {
  const faultIn = (totals: SessionTotals): FaultError | undefined =>
    withAdvice(faultOf(totals), asked(), keyVariable)
  let report: AgentReport
  try {
    const agent = await make(session, context)
    report = masked(session.maskText, await agent.work(task, contextIn(session, context, signal)))
  } catch (error) {
    const totals = await session.close()
    context.signal.throwIfAborted()
    throw withoutSecrets(session, faultIn(totals) ?? error)
  }
  const totals = await session.close()
  context.signal.throwIfAborted()
  // What an agent says of a failure is a guess; the gateway has seen it.
  const isDoubtful = report.status === 'failed' || totals.diverged !== undefined || signal.aborted
  const fault = isDoubtful ? faultIn(totals) : undefined
  if (fault !== undefined) throw withoutSecrets(session, fault)
  return { ...report, usage: totals.spent }
}

/** A provider may repeat a key in a way that only shows when an answer is put together. */
function contextIn(session: Session, context: AgentContext, signal: Signal): AgentContext {
  return {
    ...context,
    signal,
    reserve: async () => nothingReserved,
    note: (note) => context.note(masked(session.maskText, note)),
    callTool: (name, args) => context.callTool(name, masked(session.maskText, args)),
  }
}

/** Only the words: what is behind an error may hold anything. */
function withoutSecrets(session: Session, error: unknown): unknown {
  if (error instanceof FaultError) return new FaultError(masked(session.maskText, error.fault))
  const text = textOf(error)
  const safe = session.maskText(text)
  return safe === text ? error : new Error(safe)
}

/** Only here it is known where a key came from. */
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

function sessionFor(options: MeteredAgentOptions, context: AgentContext): SessionOptions {
  const { access, secrets, replay } = options
  const { iteration, step, reserve, signal } = context
  return {
    ...access,
    step: `${iteration}/${step}`,
    reserve,
    signal,
    remaining: () => context.remaining(),
    record: (exchange) => keep(context, exchange),
    ...defined({ secrets }),
    ...(replay === undefined ? {} : { replay: replay({ iteration, step }) ?? { exchanges: [] } }),
  }
}

interface Patience {
  /** Aborts when the run is stopped, or when there is no use in going on. */
  readonly signal: AbortSignal
  /** True when it is over. */
  saw(trouble: SessionTrouble | undefined, provider: string): boolean
  /** The provider that was asked last. */
  asked(): string | undefined
  end(): void
}

/** How often in a row an agent may be told that it gets nothing more; it has its work to put away. */
const refusalsMax = 6

const hopeless: ReadonlySet<string> = new Set(['budget', 'not-allowed', 'unknown-model'])

function createPatience(signal: Signal): Patience {
  const stop = new AbortController()
  const forward = (): void => stop.abort(signal.reason)
  let refusals = 0
  let last: string | undefined
  signal.addEventListener('abort', forward, { once: true })
  if (signal.aborted) forward()
  return {
    signal: stop.signal,
    asked: () => last,
    saw(trouble, provider) {
      last = provider
      refusals = trouble !== undefined && hopeless.has(trouble.kind) ? refusals + 1 : 0
      if (refusals >= refusalsMax) stop.abort()
      return refusals >= refusalsMax
    },
    end: () => signal.removeEventListener('abort', forward),
  }
}

function tell(context: AgentContext, note: GatewayNote): void {
  if (note.type !== 'waiting') return
  const { untilMs, message } = note
  context.note({ type: 'waiting', untilMs, message })
}

async function keep(context: AgentContext, exchange: Exchange): Promise<void> {
  const { ordinal, provider, model, ended, spent, isEstimated, durationMs } = exchange
  const seen = { ordinal, provider, model, ended, spent, isEstimated, durationMs }
  await context.keepExchange?.({ ...seen, content: await writeExchange(exchange) })
}
