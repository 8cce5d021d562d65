/** Loads a recorded exchange with a model: request and response, without secrets. */

import type { Blobs } from '../engine/index.ts'
import { type Exchange, readExchange } from '../gateway/index.ts'
import type { BlobId } from '../loop/index.ts'

export type { Exchange, ExchangeBody } from '../gateway/index.ts'

/** Rejects with `unknown-artifact` if it no longer exists. */
export async function loadExchange(blob: BlobId, blobs: Pick<Blobs, 'get'>): Promise<Exchange> {
  return readExchange(await blobs.get(blob))
}
