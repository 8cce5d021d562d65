/**
 * An answer as bytes that can be read. Providers are asked for no encoding; one that uses one all the
 * same, or a proxy on the way, must not hide from the account or from the search for secrets.
 */

import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** Nothing when nobody here knows the encoding. The answer breaks when it is not what it says. */
export function decodeAnswer(answer: IncomingMessage): Readable | undefined {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return answer
  const decoder = decoderFor(encoding)
  if (decoder === undefined) return undefined
  // What breaks is seen by whoever reads.
  pipeline(answer, decoder, () => undefined)
  return decoder
}

/** Each passes on at once what it has, so that a stream stays one. */
function decoderFor(encoding: string): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ flush: constants.Z_SYNC_FLUSH })
    case 'deflate':
      return createInflate({ flush: constants.Z_SYNC_FLUSH })
    case 'br':
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
    default:
      return undefined
  }
}
