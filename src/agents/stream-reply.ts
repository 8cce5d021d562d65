/**
 * Assembles a streamed response. Responses are streamed because a long one might not start to
 * arrive within the header timeout of the platform's HTTP client.
 */

import type { SdkCall, SdkContent, SdkModel, SdkResult, SdkStreamPart } from './model-types.ts'

type Metadata = NonNullable<SdkResult['providerMetadata']>
type Finish = Pick<SdkResult, 'finishReason' | 'usage'>

interface OpenPart {
  readonly type: 'text' | 'reasoning'
  readonly deltas: string[]
  metadata: Metadata | undefined
}

/** Throws errors that the provider reports in the stream, and if the stream ends early. */
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
      finish = readPart(value, parts, open) ?? finish
    }
  } finally {
    // A stream that stays open would hold its connection.
    reader.cancel().catch(() => undefined)
  }
  if (finish === undefined) throw new Error('The response of the model ended early.')
  return { content: parts.map(closePart), ...finish, warnings: [] }
}

function readPart(
  part: SdkStreamPart,
  parts: (OpenPart | SdkContent)[],
  open: Map<string, OpenPart>,
): Finish | undefined {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start': {
      const type = part.type === 'text-start' ? 'text' : 'reasoning'
      const opened: OpenPart = { type, deltas: [], metadata: part.providerMetadata }
      open.set(`${type}:${part.id}`, opened)
      parts.push(opened)
      return undefined
    }
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-end':
    case 'reasoning-end': {
      const type = part.type.startsWith('text') ? 'text' : 'reasoning'
      const opened = open.get(`${type}:${part.id}`)
      if (opened === undefined) return undefined
      if ('delta' in part) opened.deltas.push(part.delta)
      // Providers send signatures with any of these events.
      opened.metadata = part.providerMetadata ?? opened.metadata
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

function closePart(part: OpenPart | SdkContent): SdkContent {
  if (!('deltas' in part)) return part
  const { type, deltas, metadata } = part
  const text = deltas.join('')
  return metadata === undefined ? { type, text } : { type, text, providerMetadata: metadata }
}
