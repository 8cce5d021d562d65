/** What is kept of what a check printed: its beginning, which often says what it is about, and its end. */

const headCharsMax = 1000
const tailCharsMax = 3000
/** A character has four bytes at most. */
const headBytesMax = 4 * headCharsMax

export interface OutputHead {
  push(chunk: Uint8Array): void
  text(): string
}

/** The first bytes of both streams as they came. */
export function createOutputHead(): OutputHead {
  const chunks: Uint8Array[] = []
  let bytes = 0
  return {
    push(chunk) {
      if (bytes >= headBytesMax) return
      const part = chunk.slice(0, headBytesMax - bytes)
      chunks.push(part)
      bytes += part.length
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}

/** `begin` and `end` may be the same text, or the beginning and the end of one that nobody has whole. */
export function headAndTail(begin: string, end: string): string {
  if (begin === end && end.length <= headCharsMax + tailCharsMax) return end
  const head = begin.slice(0, headCharsMax).replace(/[\ud800-\udbff]$/, '')
  const tail = end.slice(-tailCharsMax).replace(/^[\udc00-\udfff]/, '')
  return `${head.replace(/\n$/, '')}\n[…]\n${tail}`
}
