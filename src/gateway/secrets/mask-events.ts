/**
 * Masks secrets that a model emits over several stream events: no single event contains one, but
 * the joined text does. The characters are masked where they are.
 */

import { findEscaped, findPlain, type Spellings } from './escaped-words.ts'

/** The member names under which the wire formats stream text, a piece in each event. */
const piecePattern =
  /"(text|thinking|partial_json|content|reasoning|reasoning_content|arguments|delta|refusal)"\s*:\s*"/g

interface StreamedText {
  /** All pieces with one name, concatenated. */
  text: string
  /** Where each piece starts, in the text and in the bytes. */
  readonly starts: { readonly within: number; readonly at: number }[]
}

/** Returns the same bytes if there is nothing to mask. */
export function maskAcrossEvents(bytes: Buffer, secrets: Spellings): Buffer {
  if (secrets.all.length === 0) return bytes
  // One character for each byte, so offsets in the text are offsets in the bytes.
  const source = bytes.toString('latin1')
  let masked = bytes
  for (const streamed of collectTexts(source).values()) {
    const text = Buffer.from(streamed.text, 'latin1')
    for (const { from, to } of [...findPlain(text, secrets), ...findEscaped(text, secrets)]) {
      if (masked === bytes) masked = Buffer.from(bytes)
      for (let within = from; within < to; within++) masked[toByteOffset(streamed, within)] = 0x2a
    }
  }
  return masked
}

function collectTexts(source: string): ReadonlyMap<string, StreamedText> {
  const all = new Map<string, StreamedText>()
  for (const found of source.matchAll(piecePattern)) {
    const [whole, name = ''] = found
    const at = found.index + whole.length
    const streamed = all.get(name) ?? { text: '', starts: [] }
    streamed.starts.push({ within: streamed.text.length, at })
    streamed.text += source.slice(at, findPieceEnd(source, at))
    all.set(name, streamed)
  }
  return all
}

/** The string ends at an unescaped quote. */
function findPieceEnd(source: string, from: number): number {
  for (let at = from; ; at++) {
    const end = source.indexOf('"', at)
    if (end === -1) return source.length
    let escapes = 0
    while (end - 1 - escapes >= from && source[end - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return end
    at = end
  }
}

function toByteOffset({ starts }: StreamedText, within: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle]?.within ?? 0) <= within) low = middle
    else high = middle - 1
  }
  const start = starts[low] ?? { within: 0, at: 0 }
  return start.at + within - start.within
}
