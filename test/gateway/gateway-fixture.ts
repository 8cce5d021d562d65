// A gateway in front of a scripted model, with an account that works like the engine's, and a clock
// whose waits end at once.

import type { Clock } from '../../src/engine/index.ts'
import {
  type Exchange,
  type Gateway,
  type GatewayNote,
  type GatewayOptions,
  openGateway,
  type Session,
  type SessionOptions,
} from '../../src/gateway/index.ts'
import { type Amount, add, FaultError, zero } from '../../src/loop/index.ts'
import { type ModelScript, type ModelServer, startModelServer } from '../../src/testing/index.ts'

export const anthropicKey = 'sk-ant-canary-0123456789abcdef'
export const openaiKey = 'sk-openai-canary-0123456789abcdef'
export const googleKey = 'AIza-canary-0123456789abcdef'

export const keys: Readonly<Record<string, string>> = {
  anthropic: anthropicKey,
  openai: openaiKey,
  google: googleKey,
}

/** Time passes only by waiting, and at once: nothing depends on the load of the machine. */
export function quickClock(): Clock & { readonly slept: readonly number[] } {
  let nowMs = Date.UTC(2026, 0, 1)
  const slept: number[] = []
  return {
    slept,
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      nowMs += ms
      await new Promise((resolve) => setImmediate(resolve))
    },
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    random: () => 0.5,
  }
}

/** Reserved worst cases plus what is spent, never above the cap. */
export interface Ledger {
  readonly spent: Amount
  readonly open: number
  readonly reserve: SessionOptions['reserve']
  readonly remaining: () => Amount
  /** As after a crash: everything open is charged. */
  crash(): void
}

export function createLedger(cap: Amount = { tokens: 1e9, costMicros: 1e9 }): Ledger {
  let spent = zero
  const open = new Set<Amount>()
  const committed = (): Amount => [...open].reduce(add, spent)
  return {
    get spent() {
      return spent
    },
    get open() {
      return open.size
    },
    remaining() {
      const { tokens, costMicros } = committed()
      return { tokens: cap.tokens - tokens, costMicros: cap.costMicros - costMicros }
    },
    async reserve(worst) {
      const { tokens, costMicros } = add(committed(), worst)
      if (tokens > cap.tokens || costMicros > cap.costMicros) {
        const limit = tokens > cap.tokens ? 'tokens' : 'cost'
        const message = `The ${limit} limit would be broken.`
        throw new FaultError({ code: 'budget', message, retryable: false, limit })
      }
      const own = { ...worst }
      open.add(own)
      return {
        async settle(amount) {
          if (open.delete(own)) spent = add(spent, amount)
        },
      }
    },
    crash() {
      for (const worst of open) spent = add(spent, worst)
      open.clear()
    },
  }
}

export interface Setting extends AsyncDisposable {
  readonly server: ModelServer
  readonly gateway: Gateway
  readonly session: Session
  readonly ledger: Ledger
  readonly exchanges: Exchange[]
  readonly notes: GatewayNote[]
  readonly clock: ReturnType<typeof quickClock>
  /** Sends a request with the token where the clients of each provider put it. */
  post(path: string, body: unknown, init?: PostInit): Promise<Response>
}

export interface PostInit {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface SettingOptions {
  readonly limits?: GatewayOptions['limits']
  readonly cap?: Amount
  readonly session?: Partial<SessionOptions>
}

export async function openSetting(
  script: ModelScript,
  options: SettingOptions = {},
): Promise<Setting> {
  const server = await startModelServer(script)
  const clock = quickClock()
  const gateway = await openGateway({
    keys: (provider) => keys[provider],
    providers: providersAt(server.url),
    clock,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  })
  const ledger = createLedger(options.cap)
  const exchanges: Exchange[] = []
  const notes: GatewayNote[] = []
  const session = await gateway.session({
    step: 'agent:maker#1',
    reserve: ledger.reserve,
    signal: new AbortController().signal,
    note: (note) => void notes.push(note),
    record: async (exchange) => void exchanges.push(exchange),
    ...options.session,
  })
  return {
    server,
    gateway,
    session,
    ledger,
    exchanges,
    notes,
    clock,
    post: (path, body, { headers = {}, signal } = {}) =>
      fetch(`${session.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': session.token, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await server.close()
    },
  }
}

export const providersAt = (url: string): NonNullable<GatewayOptions['providers']> => ({
  anthropic: { baseUrl: url, priceId: 'anthropic' },
  openai: { baseUrl: url, priceId: 'openai' },
  google: { baseUrl: url, priceId: 'google' },
  local: { baseUrl: url },
})

/** One request in each of the four formats. */
export const questions = {
  anthropic: {
    path: '/v1/messages',
    model: 'claude-sonnet-5',
    body: (stream: boolean) => ({
      model: 'claude-sonnet-5',
      max_tokens: 1000,
      stream,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  },
  chat: {
    path: '/v1/chat/completions',
    model: 'gpt-5.1',
    body: (stream: boolean) => ({
      model: 'gpt-5.1',
      max_completion_tokens: 1000,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content: 'hello' }],
    }),
  },
  responses: {
    path: '/v1/responses',
    model: 'gpt-5.1',
    body: (stream: boolean) => ({
      model: 'gpt-5.1',
      max_output_tokens: 1000,
      stream,
      input: 'hello',
    }),
  },
  gemini: {
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    model: 'gemini-2.5-flash',
    body: () => ({
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
      generationConfig: { maxOutputTokens: 1000 },
    }),
  },
} as const

export type QuestionName = keyof typeof questions

export function ask(
  setting: Pick<Setting, 'post'>,
  name: QuestionName,
  stream: boolean,
  init?: PostInit,
): Promise<Response> {
  const { path, body } = questions[name]
  const address =
    name === 'gemini' && stream ? `${path.replace(':generate', ':streamGenerate')}?alt=sse` : path
  return setting.post(address, body(stream), init)
}

export const formats: readonly QuestionName[] = ['anthropic', 'chat', 'responses', 'gemini']
