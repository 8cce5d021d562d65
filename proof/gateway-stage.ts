/** A gateway between a scripted provider and whoever asks, with an account in memory. */

import { type Exchange, type GatewayOptions, openGateway, type Session } from 'loopwright/gateway'
import { type ModelScript, type ModelServer, startModelServer } from 'loopwright/testing'
import type { Clock } from '#src/engine/index.ts'
import { type Question, requestFor } from './gateway-questions.ts'

export interface GatewayStage extends AsyncDisposable {
  readonly server: ModelServer
  readonly session: Session
  readonly exchanges: readonly Exchange[]
  /** Tokens on the account, and reservations that nobody settled. */
  readonly account: { readonly tokens: number; readonly open: number }
  /** Reads all of the answer, broken or not, and waits until it is on record. */
  ask(question: Question): Promise<Asked>
}

export interface Asked {
  readonly status: number
  readonly text: string
  readonly exchange: Exchange
}

/** Whoever fails again and again is slowed down; here that takes no time. */
const noWaits: Clock = {
  now: Date.now,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  random: Math.random,
}

export async function openStage(
  script: ModelScript,
  limits: NonNullable<GatewayOptions['limits']>,
): Promise<GatewayStage> {
  const server = await startModelServer(script)
  const gateway = await openGateway({
    keys: (provider) => `sk-${provider}-0123456789`,
    providers: {
      anthropic: { baseUrl: server.url, priceId: 'anthropic' },
      openai: { baseUrl: server.url, priceId: 'openai' },
      google: { baseUrl: server.url, priceId: 'google' },
    },
    clock: noWaits,
    limits,
  })
  const account = { tokens: 0, open: 0 }
  const exchanges: Exchange[] = []
  let onRecord: (exchange: Exchange) => void = () => undefined
  const session = await gateway.session({
    step: 'proof',
    signal: new AbortController().signal,
    async reserve() {
      account.open++
      return {
        async settle({ tokens }) {
          account.open--
          account.tokens += tokens
        },
      }
    },
    async record(exchange) {
      exchanges.push(exchange)
      onRecord(exchange)
    },
  })
  return {
    server,
    session,
    exchanges,
    account,
    async ask(question) {
      const recorded = new Promise<Exchange>((resolve) => {
        onRecord = resolve
      })
      const { path, body } = requestFor(question)
      const headers = { 'content-type': 'application/json', 'x-api-key': session.token }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`${session.url}${path}`, init)
      const text = await response.text().catch(() => '')
      return { status: response.status, text, exchange: await recorded }
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await server.close()
    },
  }
}
