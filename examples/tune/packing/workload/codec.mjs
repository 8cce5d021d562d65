// The codecs that config.json chooses from.
import { readFileSync } from 'node:fs'
import * as zlib from 'node:zlib'

const strategies = {
  default: 'Z_DEFAULT_STRATEGY',
  filtered: 'Z_FILTERED',
  huffman: 'Z_HUFFMAN_ONLY',
  rle: 'Z_RLE',
}

function optionsOf({ level, strategy, dictionary }) {
  const words =
    dictionary === 'none' ? {} : { dictionary: readFileSync(new URL('words.txt', import.meta.url)) }
  return { level: Math.min(9, level), strategy: zlib.constants[strategies[strategy]], ...words }
}

const quality = ({ level }) => ({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: level } })

export function pack(content, config) {
  if (config.codec === 'brotli') return zlib.brotliCompressSync(content, quality(config))
  const { dictionary, ...plain } = optionsOf(config)
  // A gzip file has no place for a dictionary.
  return config.codec === 'gzip'
    ? zlib.gzipSync(content, plain)
    : zlib.deflateSync(content, { ...plain, dictionary })
}

export function unpack(packed, config) {
  if (config.codec === 'brotli') return zlib.brotliDecompressSync(packed)
  return config.codec === 'gzip'
    ? zlib.gunzipSync(packed)
    : zlib.inflateSync(packed, optionsOf(config))
}
