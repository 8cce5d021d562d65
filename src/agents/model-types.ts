/** The AI SDK's model types, as used in this folder. Types only: the SDK is not loaded for them. */

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

/** The usage of one call. `input` includes tokens read from and written to the provider's cache. */
export interface TokenUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** The price of a model. */
export interface Price {
  /** The model in the price table; differs from the requested one if the closest match was used. */
  readonly priceModelId: string
  costMicros(usage: TokenUsage): number
}
