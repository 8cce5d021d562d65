/** Lends contexts of steps, tools and agents to a loop's process, by number, for the duration of a call. */

import {
  type AgentContext,
  defined,
  FaultError,
  type Json,
  LoopError,
  type Reservation,
  type StepContext,
  toJson,
} from '../../loop/index.ts'
import { encodeError } from './error-codec.ts'
import {
  callToolSchema,
  noteSchema,
  parseSent,
  reserveSchema,
  settleSchema,
  spendSchema,
  toolsSchema,
} from './wire.ts'

export type LentContext = StepContext & Partial<Omit<AgentContext, keyof StepContext>>

export interface Contexts {
  /** Lends a context while `work` runs; `work` gets its description for the loop's process. */
  lend<T>(context: LentContext, work: (sent: Json) => Promise<T>): Promise<T>
  serve(name: string, args: Json): Promise<Json | undefined>
  handleNotice(name: string, args: Json): void
  /** The newest context that knows the remaining budget. */
  readonly newest: Pick<AgentContext, 'remaining'> | undefined
}

interface LentEntry {
  readonly context: LentContext
  readonly reservations: Reservation[]
}

const reservationsMax = 100_000

/** `abort` notifies the loop's process that the signal of a lent context has aborted. */
export function createContexts(abort: (context: number, reason: Json) => void): Contexts {
  const lent = new Map<number, LentEntry>()
  let count = 0

  const find = (number: number): LentEntry => {
    const found = lent.get(number)
    if (found !== undefined) return found
    const message =
      'A context was used after its call had ended. Await everything that the call starts.'
    throw new FaultError({ code: 'step-over', message, retryable: false })
  }

  return {
    async lend(context, work) {
      const number = ++count
      const { signal } = context
      const onAbort = (): void => abort(number, encodeError(signal.reason))
      lent.set(number, { context, reservations: [] })
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return await work(describe(number, context))
      } finally {
        signal.removeEventListener('abort', onAbort)
        lent.delete(number)
      }
    },
    async serve(name, args) {
      switch (name) {
        case 'reserve': {
          const { context: number, worst } = parseSent(reserveSchema, args, 'reserve')
          const { context, reservations } = find(number)
          if (reservations.length >= reservationsMax) throw tooManyReservations()
          return reservations.push(await context.reserve(worst)) - 1
        }
        case 'settle': {
          const sent = parseSent(settleSchema, args, 'settle')
          const reservation = find(sent.context).reservations[sent.reservation]
          if (reservation === undefined)
            throw createBadRequest('There is no such reservation. Reserve it first.')
          await reservation.settle(sent.spent)
          return undefined
        }
        case 'tools': {
          const { context } = find(parseSent(toolsSchema, args, 'tools').context)
          return toJson((await context.tools?.()) ?? [])
        }
        case 'call-tool': {
          const sent = parseSent(callToolSchema, args, 'callTool')
          const { callTool } = find(sent.context).context
          if (callTool === undefined)
            throw createBadRequest('Only agents can call tools. Use it.agent.')
          return toJson(await callTool(sent.name, sent.args))
        }
        default:
          throw createBadRequest(
            `Unknown request "${name.slice(0, 100)}". Use the same version of Loopwright on both sides.`,
          )
      }
    },
    handleNotice(name, args) {
      if (name === 'spend') {
        const { data } = spendSchema.safeParse(args)
        if (data !== undefined) lent.get(data.context)?.context.spend(data.amount)
      } else if (name === 'note') {
        const { data } = noteSchema.safeParse(args)
        if (data !== undefined) lent.get(data.context)?.context.note?.(data.note)
      }
    },
    get newest() {
      const contexts = [...lent.values()].map(({ context }) => context)
      return contexts.findLast((one): one is AgentContext => one.remaining !== undefined)
    },
  }
}

function describe(number: number, context: LentContext): Json {
  const { signal, attempt, iteration, step, workspace } = context
  return {
    context: number,
    attempt,
    isAgent: context.callTool !== undefined,
    ...defined({ iteration, step, workspace }),
    ...(signal.aborted ? { aborted: encodeError(signal.reason) } : {}),
  }
}

const createBadRequest = (message: string): LoopError => new LoopError('bad-request', message)

const tooManyReservations = (): LoopError =>
  new LoopError(
    'bad-request',
    `One call may reserve at most ${reservationsMax} times. Settle some first.`,
  )
