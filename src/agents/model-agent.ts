/**
 * Any AI SDK model as an agent, in our own tool loop. The SDK translates to and from the provider's
 * wire format; turns, tools, budget, window, waits and retries are ours.
 *
 * E4. A response may be as long as the remaining budget allows, at most `maxOutputTokens`; its
 *     worst case is reserved before each call.
 */

import { type Clock, systemClock } from '../engine/index.ts'
import { type AgentContext, type Amount, defined, LoopError } from '../loop/index.ts'
import type { Agent } from './agent.ts'
import { type CallOutcome, callModel, fault, type ModelCall } from './call-model.ts'
import type { ChatModel, ChatRequest, Reply } from './conversation.ts'
import { fitWindow } from './fit-window.ts'
import { toCalls, toPrompt, toStop, toText, toTools } from './model-prompt.ts'
import type { Price, SdkModel, SdkProviderOptions, SdkResult, TokenUsage } from './model-types.ts'
import { createRedact } from './redact.ts'
import { streamReply } from './stream-reply.ts'
import { createTokenMeter, type TokenMeter } from './token-meter.ts'
import { runToolLoop } from './tool-loop.ts'

/** Options of `modelAgent`. */
export interface ModelAgentOptions {
  /**
   * A model object of AI SDK 6. `resolveModel` creates one from a name, along with the options
   * below.
   */
  readonly model: SdkModel
  readonly modelId?: string
  /** Absent: unknown. Then only tokens are counted, and a note says so. */
  readonly price?: Price
  /** The context window, including the response. Default: 128,000. */
  readonly windowTokens?: number
  /** The variable that holds the key, for messages. */
  readonly keyVariable?: string
  /** Values that are never shown or stored. */
  readonly secrets?: readonly string[]
  readonly system?: string
  readonly turnsMax?: number
  readonly maxOutputTokens?: number
  readonly temperature?: number
  /** Passed on to the provider unchanged. */
  readonly providerOptions?: SdkProviderOptions
  /** How long one response may take. */
  readonly callTimeoutMs?: number
  /** The gateway reserves and prices each call. Default: this agent does. */
  readonly spending?: 'gateway'
  /** False: responses are not streamed. */
  readonly stream?: boolean
  readonly clock?: Clock
}

const defaultMaxOutputTokens = 16_384
const defaultWindowTokens = 128_000
const defaultCallTimeoutMs = 15 * 60_000
/** Too short for anything useful. */
const outputTokensMin = 256
/** A margin, because token counts are estimates. */
const windowShare = 0.95

interface Settings extends ModelAgentOptions {
  readonly modelId: string
  readonly windowTokens: number
  readonly maxOutputTokens: number
  readonly callTimeoutMs: number
  readonly redact: (text: string) => string
  readonly clock: Clock
}

/** A model with the tools of the run, in the tool loop of this package. */
export function modelAgent(options: ModelAgentOptions): Agent {
  const { model } = options
  if (typeof model !== 'object' || model.specificationVersion !== 'v3') {
    const message = 'A model agent needs a model object of AI SDK 6. Create one with resolveModel.'
    throw new LoopError('bad-request', message)
  }
  const windowTokens = options.windowTokens ?? defaultWindowTokens
  const wanted = options.maxOutputTokens ?? defaultMaxOutputTokens
  const settings: Settings = {
    ...options,
    modelId: options.modelId ?? model.modelId,
    windowTokens,
    maxOutputTokens: Math.max(1, Math.min(wanted, Math.floor(windowTokens / 2))),
    callTimeoutMs: options.callTimeoutMs ?? defaultCallTimeoutMs,
    redact: createRedact(options.secrets ?? []),
    clock: options.clock ?? systemClock,
  }
  let warned = options.price !== undefined || options.spending === 'gateway'
  return {
    work(task, context) {
      if (!warned) context.note({ type: 'said', text: describeMissingPrice(settings) })
      warned = true
      const { system, turnsMax } = options
      const parts = defined({ system, turnsMax })
      return runToolLoop({ chatModel: createChatModel(settings), ...parts }, task, context)
    },
  }
}

const describeMissingPrice = ({ modelId }: Settings): string =>
  `The price of ${modelId} is unknown: its tokens are counted, its cost is not.`

/** For one conversation: it learns how its provider counts tokens. */
function createChatModel(settings: Settings): ChatModel {
  const meter = createTokenMeter()
  return {
    async answer(ask, context) {
      let fitted = fit(ask, settings, meter, context, settings.windowTokens * windowShare)
      let outcome = await call(fitted, settings, meter, context)
      if (outcome.type === 'too-long') {
        // The provider counts more than was estimated: try once with half of it.
        const half = estimate(fitted, meter) / 2 + settings.maxOutputTokens
        fitted = fit(fitted, settings, meter, context, half)
        outcome = await call(fitted, settings, meter, context)
      }
      if (outcome.type === 'too-long') throw createTooLongFault(settings, outcome.message)
      const { result, spent } = outcome
      const cut = fitted.messages === ask.messages ? {} : { messages: fitted.messages }
      return { ...toReply(result), usage: spent, ...cut }
    },
  }
}

function toReply(result: SdkResult): Omit<Reply, 'usage'> {
  const { content } = result
  return { text: toText(content), calls: toCalls(content), stop: toStop(result), raw: content }
}

const estimate = (ask: ChatRequest, meter: TokenMeter): number =>
  ask.messages.reduce((sum, message) => sum + meter.countMessage(message), meter.countFrame(ask))

/** Shortens a request so that it fits into that many tokens together with its response. */
function fit(
  ask: ChatRequest,
  settings: Settings,
  meter: TokenMeter,
  context: AgentContext,
  tokensMax: number,
): ChatRequest {
  const room = Math.floor(tokensMax - settings.maxOutputTokens - meter.countFrame(ask))
  if (room <= 0)
    throw createTooLongFault(settings, 'The system text and the tools alone do not fit.')
  const { messages, cutTokens, what } = fitWindow(ask.messages, room, (one) =>
    meter.countMessage(one),
  )
  if (cutTokens === 0) return ask
  context.note({ type: 'context-cut', tokens: cutTokens, what })
  const cut = { ...ask, messages }
  if (estimate(cut, meter) + settings.maxOutputTokens > tokensMax) {
    throw createTooLongFault(
      settings,
      'The prompt and the last turn do not fit, however much is cut.',
    )
  }
  return cut
}

async function call(
  ask: ChatRequest,
  settings: Settings,
  meter: TokenMeter,
  context: AgentContext,
): Promise<CallOutcome> {
  const { model, price, temperature, stream = true } = settings
  const inputTokens = estimate(ask, meter)
  const maxOutputTokens = affordableOutput(inputTokens, settings, context)
  const toAmount = (usage: TokenUsage): Amount => ({
    tokens: usage.input + usage.output,
    costMicros: price?.costMicros(usage) ?? 0,
    outputTokens: usage.output,
  })
  const request = {
    prompt: toPrompt(ask),
    maxOutputTokens,
    ...(ask.tools.length === 0
      ? {}
      : {
          tools: toTools(ask, model.provider),
          toolChoice: { type: ask.mayCall ? ('auto' as const) : ('none' as const) },
        }),
    ...defined({ temperature }),
    providerOptions: withDefaults(settings.providerOptions),
  }
  const modelCall: ModelCall = {
    worst: toAmount(worstUsage(inputTokens, maxOutputTokens)),
    input: toAmount(worstUsage(inputTokens, 0)),
    generate: (abortSignal) =>
      stream
        ? streamReply(model, { ...request, abortSignal })
        : Promise.resolve(model.doGenerate({ ...request, abortSignal })),
    spent: (result) => toAmount(toUsage(result, inputTokens, maxOutputTokens)),
  }
  const { modelId, keyVariable, clock, callTimeoutMs: timeoutMs, redact } = settings
  const outcome = await callModel(
    modelCall,
    {
      modelId,
      keyVariable,
      clock,
      timeoutMs,
      redact,
      // The gateway has already retried several times.
      ...(settings.spending === 'gateway' ? { failuresMax: 1 } : {}),
    },
    context,
  )
  if (outcome.type === 'answered') {
    meter.learn(inputTokens, outcome.result.usage.inputTokens.total ?? 0)
  }
  return outcome
}

/** Nothing of a conversation is stored at the provider, so nothing can go missing there. */
const withDefaults = (options: SdkProviderOptions | undefined): SdkProviderOptions => ({
  ...options,
  openai: { store: false, ...options?.['openai'] },
})

/** Writing to the cache is the most expensive case for input. */
const worstUsage = (input: number, output: number): TokenUsage => ({
  input,
  cacheRead: 0,
  cacheWrite: input,
  output,
})

/** No call is this long. A larger number is invalid, and would corrupt the accounting. */
const countMax = 1_000_000_000

/** What the provider counted; the estimate where it reports nothing or an invalid number. */
function toUsage(result: SdkResult, input: number, output: number): TokenUsage {
  const { inputTokens, outputTokens } = result.usage
  const count = (value: number | undefined, otherwise: number): number =>
    typeof value === 'number' && value >= 0 && value <= countMax ? Math.ceil(value) : otherwise
  return {
    input: count(inputTokens.total, input),
    cacheRead: count(inputTokens.cacheRead, 0),
    cacheWrite: count(inputTokens.cacheWrite, 0),
    output: count(outputTokens.total, output),
  }
}

/**
 * If the remaining budget does not cover a full response, the response is shortened rather than
 * refused.
 */
function affordableOutput(
  inputTokens: number,
  { price, maxOutputTokens }: Settings,
  context: AgentContext,
): number {
  const left = context.remaining()
  const { outputTokens = maxOutputTokens } = left
  let most = Math.min(maxOutputTokens, outputTokens, left.tokens - inputTokens)
  if (price !== undefined && most > 0) {
    const input = price.costMicros(worstUsage(inputTokens, 0))
    const output = price.costMicros(worstUsage(inputTokens, most)) - input
    if (input + output > left.costMicros && output > 0) {
      most = Math.floor((most * Math.max(0, left.costMicros - input - 1)) / output)
    }
  }
  // Below this the reservation should be refused: the budget is spent.
  return Math.max(most, Math.min(maxOutputTokens, outputTokensMin))
}

function createTooLongFault({ modelId, windowTokens }: Settings, why: string): Error {
  const advice = `Shorten the prompt, offer fewer tools, or take a model with a larger window.`
  const message = `${modelId}: the conversation does not fit into ${windowTokens} tokens. ${why} ${advice}`
  return fault('context-too-long', message, {})
}
