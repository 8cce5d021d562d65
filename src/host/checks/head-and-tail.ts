/** What is kept of what a check printed, also when it printed more than anybody keeps. */

import { keepEnds } from '../../evidence/index.ts'

export const outputCharsMax = 4000
const headCharsMax = 1000
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

/** Of a text of which nobody has the middle. */
export function joinEnds(head: string, end: string): string {
  const first = head.slice(0, headCharsMax).replace(/[\ud800-\udbff]$/, '')
  return `${first}\n...[left out]...\n${keepTail(end, outputCharsMax - headCharsMax)}`
}

const keepTail = (text: string, charsMax: number): string =>
  text.slice(-charsMax).replace(/^[\udc00-\udfff]/, '')

export const keepOutput = (text: string): string => keepEnds(text, outputCharsMax)
