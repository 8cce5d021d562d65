/**
 * A run whose children ask a provider through the gateway: the engine, the journal and the gateway of
 * the product, with agents that do nothing but ask.
 */

import type { AgentContext, AgentReport, Agents, LoopType } from 'loopwright'
import { faultOf, type Gateway, openGateway, type SessionOptions } from 'loopwright/gateway'
import type { Clock, Ports, Store } from '#src/engine/index.ts'
import { createBlobStore } from '#src/journal/index.ts'
import { createFakeCertifier } from '#src/testing/fake-certifier.ts'
import { type Question, requestFor } from './gateway-questions.ts'
import type { Schedule } from './gateway-schedule.ts'
import { placesIn } from './victim-world.ts'

/** `late`: money is put on the account after it was spent, to show that the proof would notice. */
export type BudgetSabotage = 'late'

/** Hours of waiting pass in minutes. */
const haste = 200

const hastyClock: Clock = {
  now: () => Math.floor(begunMs + (Date.now() - begunMs) * haste),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const stop = (): void => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, ms / haste)
      signal?.addEventListener('abort', stop, { once: true })
    }),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  random: Math.random,
}
const begunMs = Date.now()

export const openBudgetGateway = (url: string, folder: string): Promise<Gateway> =>
  openGateway({
    keys: (provider) => `sk-${provider}-0123456789`,
    providers: {
      anthropic: { baseUrl: url, priceId: 'anthropic' },
      openai: { baseUrl: url, priceId: 'openai' },
      google: { baseUrl: url, priceId: 'google' },
    },
    clock: hastyClock,
    folder,
  })

export function budgetPorts(
  base: string,
  journal: Ports['journal'] | Store,
  gateway: Gateway,
  schedule: Schedule,
  sabotage?: BudgetSabotage,
): Ports {
  const agents: Agents = {
    work: (_role, { settings }, context) =>
      child(gateway, schedule, Number(settings?.['child']), context, sabotage),
  }
  const blobs = createBlobStore({ root: placesIn(base).blobs })
  return { journal, blobs, clock: hastyClock, certifier: createFakeCertifier(), agents }
}

export function budgetLoop(schedule: Schedule): LoopType<null, null, { rounds: number }, number> {
  const retry = { attempts: 3, firstDelayMs: 1, factor: 1, delayMsMax: 1 }
  return {
    name: 'budget',
    createContext: () => null,
    async iterate(_context, it) {
      await it.parallel(
        Object.fromEntries(
          schedule.children.map((_questions, index) => [
            `child-${index}`,
            (branch: typeof it) =>
              branch.agent('child', { prompt: 'ask', settings: { child: index } }, { retry }),
          ]),
        ),
      )
      return it.number
    },
    extractProgress: (rounds) => ({ rounds }),
    until: [{ type: 'max-iterations', iterations: 2 }],
  }
}

async function child(
  gateway: Gateway,
  { seed, children }: Schedule,
  index: number,
  context: AgentContext,
  sabotage: BudgetSabotage | undefined,
): Promise<AgentReport> {
  const session = await gateway.session({
    step: context.step,
    signal: context.signal,
    remaining: context.remaining,
    reserve: sabotage === 'late' ? payLate(context) : context.reserve,
  })
  let turns = 0
  for (const question of children[index] ?? []) {
    const status = await ask(session.url, session.token, seed, question, context.signal)
    turns++
    if (status === 402) break
  }
  const totals = await session.close()
  context.signal.throwIfAborted()
  const fault = faultOf(totals)
  if (fault !== undefined) throw fault
  return { status: 'done', text: '', usage: { tokens: 0, costMicros: 0 }, turns }
}

const payLate = ({ reserve }: AgentContext): SessionOptions['reserve'] => {
  return () =>
    Promise.resolve({
      settle: async (spent) => {
        await (await reserve(spent)).settle(spent)
      },
    })
}

async function ask(
  url: string,
  token: string,
  seed: number,
  { format, streamed }: Question,
  signal: AgentContext['signal'],
): Promise<number> {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  signal.addEventListener('abort', stop, { once: true })
  const { path, body } = requestFor({ format, streamed })
  const headers = {
    'content-type': 'application/json',
    'x-api-key': token,
    'x-schedule': String(seed),
  }
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: controller.signal }
    const response = await fetch(`${url}${path}`, init)
    await response.text()
    return response.status
  } catch {
    // A broken answer; what it cost is known to the gateway.
    return 0
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
