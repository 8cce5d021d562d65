/** Content by its hash, in memory. */

import { createHash } from 'node:crypto'
import type { Blobs } from '../engine/index.ts'
import { type BlobId, LoopError } from '../loop/index.ts'

export function memoryBlobs(): Blobs & { readonly contents: ReadonlyMap<BlobId, Buffer> } {
  const contents = new Map<BlobId, Buffer>()
  return {
    contents,
    async put(content) {
      const parts: Uint8Array[] = []
      if (typeof content === 'string') parts.push(Buffer.from(content))
      else if (content instanceof Uint8Array) parts.push(Buffer.from(content))
      else for await (const part of content) parts.push(part)
      const whole = Buffer.concat(parts)
      const blob = createHash('sha256').update(whole).digest('hex') as BlobId
      contents.set(blob, whole)
      return { blob, bytes: whole.length }
    },
    async get(blob) {
      const found = contents.get(blob)
      if (found === undefined) throw new LoopError('unknown-artifact', `There is no ${blob}.`)
      return found
    },
    async *stream(blob) {
      yield await this.get(blob)
    },
  }
}
