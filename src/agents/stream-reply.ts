/**
 * A streamed answer, put together. Answers are streamed because a long one would not begin to arrive
 * within the time that the platform's HTTP client waits for a header.
 */

import type { SdkCall, SdkContent, SdkModel, SdkResult, SdkStreamPart } from './model-types.ts'

type Metadata = NonNullable<SdkResult['providerMetadata']>
type Finish = Pick<SdkResult, 'finishReason' | 'usage'>

interface OpenPart {
  readonly type: 'text' | 'reasoning'
  readonly deltas: string[]
  metadata: Metadata | undefined
}

/** Throws what the provider reports within the stream, and when the stream ends without an end. */
export async function streamReply(model: SdkModel, call: SdkCall): Promise<SdkResult> {
  const { stream } = await model.doStream(call)
  const parts: (OpenPart | SdkContent)[] = []
  const open = new Map<string, OpenPart>()
  let finish: Finish | undefined
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      finish = take(value, parts, open) ?? finish
    }
  } finally {
    // A stream that is left open would hold its connection.
    reader.cancel().catch(() => undefined)
  }
  if (finish === undefined) throw new Error('The answer of the model ended in the middle.')
  return { content: parts.map(closed), ...finish, warnings: [] }
}

function take(
  part: SdkStreamPart,
  parts: (OpenPart | SdkContent)[],
  open: Map<string, OpenPart>,
): Finish | undefined {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start': {
      const type = part.type === 'text-start' ? 'text' : 'reasoning'
      const begun: OpenPart = { type, deltas: [], metadata: part.providerMetadata }
      open.set(`${type}:${part.id}`, begun)
      parts.push(begun)
      return undefined
    }
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-end':
    case 'reasoning-end': {
      const type = part.type.startsWith('text') ? 'text' : 'reasoning'
      const begun = open.get(`${type}:${part.id}`)
      if (begun === undefined) return undefined
      if ('delta' in part) begun.deltas.push(part.delta)
      // Signatures come with whichever of them the provider likes.
      begun.metadata = part.providerMetadata ?? begun.metadata
      return undefined
    }
    case 'tool-call':
      parts.push(part)
      return undefined
    case 'finish':
      return { finishReason: part.finishReason, usage: part.usage }
    case 'error':
      throw part.error
    default:
      return undefined
  }
}

function closed(part: OpenPart | SdkContent): SdkContent {
  if (!('deltas' in part)) return part
  const { type, deltas, metadata } = part
  const text = deltas.join('')
  return metadata === undefined ? { type, text } : { type, text, providerMetadata: metadata }
}
