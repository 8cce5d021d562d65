/** The AI SDK's model, as this folder uses it. Types only: nothing of the SDK is loaded for them. */

import type { LanguageModelV3 } from '@ai-sdk/provider'

/** A model of AI SDK 6. The SDK's own loop is not used. */
export type SdkModel = LanguageModelV3
export type SdkCall = Parameters<SdkModel['doGenerate']>[0]
export type SdkPrompt = SdkCall['prompt']
export type SdkMessage = SdkPrompt[number]
export type SdkTool = NonNullable<SdkCall['tools']>[number]
export type SdkResult = Awaited<ReturnType<SdkModel['doGenerate']>>
export type SdkContent = SdkResult['content'][number]
export type SdkStreamPart =
  Awaited<ReturnType<SdkModel['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never
export type SdkProviderOptions = NonNullable<SdkCall['providerOptions']>

/** What one call used. `input` includes what came from the provider's cache and went into it. */
export interface TokenUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** What a model costs. */
export interface Price {
  /** Whose price this is; another than asked for when the nearest was taken. */
  readonly priceModelId: string
  costMicros(usage: TokenUsage): number
}
