/** Sends the content of artifacts from a loop's process: small content with the request, the rest in pieces. */

import type { ArtifactContent } from '../../../loop/index.ts'

const pieceBytesMax = 1024 * 1024
/** Content up to this size is sent with the request. */
const inlineBytesMax = 4 * 1024 * 1024

export function toInlineContent(
  content: ArtifactContent,
): { text: string } | { base64: string } | undefined {
  if (typeof content === 'string') {
    return content.length * 3 <= inlineBytesMax ? { text: content } : undefined
  }
  if (!(content instanceof Uint8Array) || content.length > inlineBytesMax) return undefined
  return { base64: Buffer.from(content).toString('base64') }
}

/** Yields base64. */
export async function* readPieces(content: ArtifactContent): AsyncGenerator<string, undefined> {
  const chunks = typeof content === 'string' ? [Buffer.from(content)] : content
  const parts = chunks instanceof Uint8Array ? [chunks] : chunks
  for await (const part of parts) {
    const bytes = Buffer.from(part)
    for (let at = 0; at < bytes.length; at += pieceBytesMax) {
      yield bytes.subarray(at, at + pieceBytesMax).toString('base64')
    }
  }
  return undefined
}
