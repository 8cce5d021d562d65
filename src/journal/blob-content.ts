/** Reads content in pieces, so that a large string is never fully copied into memory as bytes. */

import assert from 'node:assert/strict'
import { createHash, type Hash } from 'node:crypto'
import type { BlobId } from '../loop/index.ts'
import { isBlobId } from './blob-files.ts'

const sliceChars = 256 * 1024

/**
 * The bytes of content, slice by slice. A slice of a long string is valid until the next one is
 * requested: they share one buffer.
 */
export function* slicesOf(content: string | Uint8Array): Generator<Uint8Array> {
  if (typeof content !== 'string') yield content
  else if (content.length <= sliceChars) yield Buffer.from(content)
  else yield* slicesOfText(content)
}

/** Computes hash and size of content without storing it. */
export function digestOf(content: string | Uint8Array): { blob: BlobId; bytes: number } {
  const hash = createHash('sha256')
  let bytes = 0
  for (const slice of slicesOf(content)) {
    hash.update(slice)
    bytes += slice.length
  }
  return { blob: blobIdOf(hash), bytes }
}

export function blobIdOf(hash: Hash): BlobId {
  const id = hash.digest('hex')
  assert(isBlobId(id))
  return id
}

function* slicesOfText(text: string): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  const buffer = new Uint8Array(sliceChars * 3)
  let from = 0
  while (from < text.length) {
    const to = wholeCharacter(text, Math.min(from + sliceChars, text.length))
    const { written } = encoder.encodeInto(text.slice(from, to), buffer)
    yield buffer.subarray(0, written)
    from = to
  }
}

/** A cut inside of a surrogate pair would corrupt it. */
function wholeCharacter(text: string, end: number): number {
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}
