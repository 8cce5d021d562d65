/**
 * An agent whose models are behind the gateway: for each step it gets an address and a token of its own,
 * and no key.
 *
 * E4. The gateway reserves and settles; the agent itself has nothing to reserve.
 */

import type { Agent } from '../agents/index.ts'
import {
  type Exchange,
  faultOf,
  type Gateway,
  type GatewayNote,
  type ReplaySettings,
  type Session,
  type SessionOptions,
  writeExchange,
} from '../gateway/index.ts'
import type { AgentContext, AgentReport, AgentTask, Reservation } from '../loop/index.ts'

export interface MeteredAgentOptions {
  gateway(): Promise<Gateway>
  /** The agent of one step, led to its session. */
  make(session: Session, context: AgentContext): Promise<Agent>
  /** Which providers answer, and with which keys, where that is not the usual. */
  readonly access?: Pick<SessionOptions, 'providers' | 'keys' | 'routes'>
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
      const session = await gateway.session(sessionFor(options, context))
      try {
        return await workIn(session, options, task, context)
      } finally {
        await session.close()
      }
    },
  }
}

async function workIn(
  session: Session,
  { make }: MeteredAgentOptions,
  task: AgentTask,
  context: AgentContext,
): Promise<AgentReport> {
  let report: AgentReport
  try {
    const agent = await make(session, context)
    report = await agent.work(task, { ...context, reserve: async () => nothingReserved })
  } catch (error) {
    const totals = await session.close()
    context.signal.throwIfAborted()
    throw faultOf(totals) ?? error
  }
  const totals = await session.close()
  context.signal.throwIfAborted()
  // What an agent says of a failure is a guess; the gateway has seen it.
  const isDoubtful = report.status === 'failed' || totals.diverged !== undefined
  const fault = isDoubtful ? faultOf(totals) : undefined
  if (fault !== undefined) throw fault
  return { ...report, usage: totals.spent }
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
    note: (note) => tell(context, note),
    record: (exchange) => keep(context, exchange),
    ...(secrets === undefined ? {} : { secrets }),
    ...(replay === undefined ? {} : { replay: replay({ iteration, step }) ?? { exchanges: [] } }),
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
