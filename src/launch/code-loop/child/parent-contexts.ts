/**
 * The iterations and contexts that the parent process lends to this one, by number. For a loop's code they
 * work as they would in the parent.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type AgentContext,
  type Amount,
  adoptJson,
  defined,
  type Iteration,
  isAmount,
  type Json,
  LoopError,
  type Remaining,
  type StepId,
  stepId,
  toJson,
} from '../../../loop/index.ts'
import { decodeError } from '../error-codec.ts'
import type { Peer } from '../peer.ts'
import { createIterationProxy } from './iteration-proxy.ts'
import type { Facts, LocalCode, SentIteration } from './iteration-requests.ts'
import type { Functions } from './loop-file-findings.ts'

export interface SentContext {
  readonly context: number
  readonly attempt: number
  readonly isAgent: boolean
  readonly iteration?: number
  readonly step?: StepId
  readonly workspace?: string
  readonly aborted?: Json
}

export interface ParentContexts {
  updateFacts(facts: Facts): void
  abort(notice: { readonly what: string; readonly number: number; readonly reason: Json }): void
  /** Runs a function of the file, or of a step that is running. */
  run(
    code: string,
    args: readonly Json[],
    context: SentContext | undefined,
    functions: Functions,
  ): Promise<Json | undefined>
  branch(code: string, sent: SentIteration): Promise<undefined>
  /** Resolves when the code has ended and none of its requests is pending. */
  iteration<T>(sent: SentIteration, work: (it: Iteration) => Promise<T>): Promise<T>
}

const noneRemaining: Remaining = { tokens: 0, costMicros: 0, iterations: 0, timeMs: 0 }

const createUnknownCodeError = (what: string, code: string): LoopError =>
  new LoopError(
    'bad-request',
    `There is no ${what} "${code}". Use the same version of Loopwright on both sides.`,
  )

export function createParentContexts(peer: Peer): ParentContexts {
  const signals = new Map<string, AbortController>()
  const local: LocalCode = {
    codes: new Map(),
    currentStep: new AsyncLocalStorage(),
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
          // The code may react to the last answer with another request.
          await turn()
        }
      }
    })
  }

  return {
    updateFacts(news) {
      facts = { ...facts, ...news }
    },
    abort({ what, number, reason }) {
      signals.get(`${what} ${number}`)?.abort(decodeError(reason))
    },
    async run(code, args, context, functions) {
      const call = local.codes.get(code) ?? functions.get(code)
      if (call === undefined) throw createUnknownCodeError('function', code)
      for (const value of args) adoptJson(value)
      const work = async (given?: AgentContext): Promise<Json | undefined> => {
        const value = await call(args, given as never)
        return value === undefined ? undefined : toJson(value)
      }
      if (context === undefined) return work()
      return withSignal(`context ${context.context}`, context.aborted, (signal) =>
        work(createContext(peer, context, signal, () => facts.remaining ?? noneRemaining)),
      )
    },
    async branch(code, sent) {
      const work = local.codes.get(code)
      if (work === undefined) throw createUnknownCodeError('branch', code)
      await lendIteration(sent, async (it) => work([], it as never))
      return undefined
    },
    iteration: lendIteration,
  }
}

/** Has the members of all kinds of contexts; the type limits what code may use. */
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
      peer.notify('spend', { context, amount: requireAmount(amount) })
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
    note: (note) => peer.notify('note', { context, note: toJson(note) }),
  }
}

function requireAmount(amount: Amount): Json {
  if (isAmount(amount)) {
    const { tokens, costMicros, outputTokens } = amount
    return { tokens, costMicros, ...defined({ outputTokens }) }
  }
  const message = `An amount must be whole numbers that are not negative: ${JSON.stringify(amount)}`
  throw new LoopError('bad-request', message)
}
