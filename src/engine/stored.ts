/** Writes values to the journal and reads them. Large values become blobs. */

import { type BlobId, type Json, type Stored, toJson } from '../loop/index.ts'
import type { Blobs } from './ports.ts'

const inlineBytesMax = 64 * 1024

export interface Prepared {
  readonly stored: Stored | undefined
  readonly blobs: readonly BlobId[]
}

const nothing: Prepared = { stored: undefined, blobs: [] }

/** A large value is on disk when this resolves; the caller's event may then reference it. */
export function prepare(value: Json | undefined, blobs: Blobs): Prepared | Promise<Prepared> {
  if (value === undefined) return nothing
  if (roughBytes(value) <= inlineBytesMax) return { stored: { value }, blobs: [] }
  return prepareLarge(value, blobs)
}

async function prepareLarge(value: Json, blobs: Blobs): Promise<Prepared> {
  const { blob, bytes } = await blobs.put(JSON.stringify(value))
  return { stored: { blob, bytes }, blobs: [blob] }
}

export async function load(stored: Stored | undefined, blobs: Blobs): Promise<Json | undefined> {
  if (stored === undefined) return undefined
  if ('value' in stored) return toJson(stored.value)
  return toJson(JSON.parse((await blobs.get(stored.blob)).toString('utf8')))
}

/** A lower bound of the size in characters, without serializing; stops counting past the limit. */
function roughBytes(value: Json): number {
  let bytes = 0
  const open: Json[] = [value]
  for (let item = open.pop(); item !== undefined && bytes <= inlineBytesMax; item = open.pop()) {
    if (typeof item === 'string') bytes += item.length + 2
    else if (typeof item !== 'object' || item === null) bytes += 5
    else {
      bytes += 2
      if (Array.isArray(item)) for (const part of item) open.push(part)
      else {
        for (const [key, part] of Object.entries(item)) {
          bytes += key.length + 3
          open.push(part)
        }
      }
    }
  }
  return bytes
}
