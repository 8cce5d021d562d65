/**
 * Decodes a response body. Requests ask for no encoding, but a provider or a proxy may use one
 * anyway, and it must not hide the body from metering or from the search for secrets.
 */

import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/**
 * Undefined if the encoding is unknown. The stream fails if the body does not match its encoding.
 */
export function decodeResponse(response: IncomingMessage): Readable | undefined {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const decoder = decoderFor(encoding)
  if (decoder === undefined) return undefined
  // The reader of the decoder sees the error.
  pipeline(response, decoder, () => undefined)
  return decoder
}

/** Each decoder flushes at once, so that a stream stays a stream. */
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
