/**
 * What our process lends to this one: iterations and contexts, each known by a number. To a loop's
 * code they are what they would be in our process.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type AgentContext,
  type Amount,
  adoptJson,
  type Iteration,
  isAmount,
  type Json,
  LoopError,
  type Remaining,
  type StepId,
  stepId,
  toJson,
} from '../../../loop/index.ts'
import { decodeError } from '../carried-error.ts'
import type { Peer } from '../peer.ts'
import type { Facts, LocalCode, SentIteration } from './asking.ts'
import type { Functions } from './findings.ts'
import { createIterationProxy } from './iteration-proxy.ts'

export interface SentContext {
  readonly context: number
  readonly attempt: number
  readonly isAgent: boolean
  readonly iteration?: number
  readonly step?: StepId
  readonly workspace?: string
  readonly aborted?: Json
}

export interface Borrowed {
  learn(facts: Facts): void
  abort(word: { readonly what: string; readonly number: number; readonly reason: Json }): void
  /** A function of the file, or of a step that is under way. */
  run(
    code: string,
    args: readonly Json[],
    context: SentContext | undefined,
    functions: Functions,
  ): Promise<Json | undefined>
  branch(code: string, sent: SentIteration): Promise<undefined>
  /** Ends when the code has ended and nothing that it asked for is under way. */
  iteration<T>(sent: SentIteration, work: (it: Iteration) => Promise<T>): Promise<T>
}

const nothingLeft: Remaining = { tokens: 0, costMicros: 0, iterations: 0, timeMs: 0 }

const unknownCode = (what: string, code: string): LoopError =>
  new LoopError('bad-request', `There is no ${what} "${code}". Use the same version on both sides.`)

export function createBorrowed(peer: Peer): Borrowed {
  const signals = new Map<string, AbortController>()
  const local: LocalCode = {
    codes: new Map(),
    stepUnderWay: new AsyncLocalStorage(),
    facts: () => facts,
  }
  let facts: Facts = {}

  async function withSignal<T>(
    name: string,
    aborted: Json | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController()
    signals.set(name, controller)
    if (aborted !== undefined) controller.abort(decodeError(aborted))
    try {
      return await work(controller.signal)
    } finally {
      signals.delete(name)
    }
  }

  async function lendIteration<T>(
    sent: SentIteration,
    work: (it: Iteration) => Promise<T>,
  ): Promise<T> {
    return withSignal(`iteration ${sent.it}`, sent.aborted, async (signal) => {
      const { it, idle } = createIterationProxy(peer, sent, signal, local)
      try {
        return await work(it)
      } finally {
        while (idle() !== undefined) {
          await idle()
          // What the code does with the last answer may be to ask for more.
          await turn()
        }
      }
    })
  }

  return {
    learn(news) {
      facts = { ...facts, ...news }
    },
    abort({ what, number, reason }) {
      signals.get(`${what} ${number}`)?.abort(decodeError(reason))
    },
    async run(code, args, context, functions) {
      const call = local.codes.get(code) ?? functions.get(code)
      if (call === undefined) throw unknownCode('function', code)
      for (const value of args) adoptJson(value)
      const work = async (given?: AgentContext): Promise<Json | undefined> => {
        const value = await call(args, given as never)
        return value === undefined ? undefined : toJson(value)
      }
      if (context === undefined) return work()
      return withSignal(`context ${context.context}`, context.aborted, (signal) =>
        work(createContext(peer, context, signal, () => facts.remaining ?? nothingLeft)),
      )
    },
    async branch(code, sent) {
      const work = local.codes.get(code)
      if (work === undefined) throw unknownCode('branch', code)
      await lendIteration(sent, async (it) => work([], it as never))
      return undefined
    },
    iteration: lendIteration,
  }
}

/** Has all that any context has; its type says what code may use. */
function createContext(
  peer: Peer,
  sent: SentContext,
  signal: AbortSignal,
  remaining: () => Remaining,
): AgentContext {
  const { context, attempt, iteration = 0, step = stepId('', '', 0), workspace } = sent
  return {
    signal,
    attempt,
    iteration,
    step,
    workspace,
    spend(amount) {
      peer.tell('spend', { context, amount: requireAmount(amount) })
    },
    async reserve(worst) {
      const reservation = await peer.call('reserve', { context, worst: requireAmount(worst) })
      return {
        async settle(spent) {
          const settled = { context, reservation: reservation ?? null, spent: requireAmount(spent) }
          await peer.call('settle', settled)
        },
      }
    },
    remaining,
    tools: async () => (await peer.call('tools', { context })) as never,
    callTool: async (name, args) =>
      (await peer.call('call-tool', { context, name, args: toJson(args) })) as never,
    note: (note) => peer.tell('note', { context, note: toJson(note) }),
  }
}

function requireAmount(amount: Amount): Json {
  if (isAmount(amount)) return { tokens: amount.tokens, costMicros: amount.costMicros }
  const message = `An amount must be whole numbers that are not negative: ${JSON.stringify(amount)}`
  throw new LoopError('bad-request', message)
}
