/**
 * Secrets that a model spells out over several events of a stream: no event has one, and whoever puts
 * the text together has it. The letters of it are masked where they are.
 */

import { findPlain, findSpelt, type Spellings } from './spelt.ts'

/** The names under which the wire formats stream what a model says, a piece in each event. */
const pieces =
  /"(text|thinking|partial_json|content|reasoning|reasoning_content|arguments|delta|refusal)"\s*:\s*"/g

interface Said {
  /** All pieces of one name, one after the other. */
  text: string
  /** Where each piece begins, in there and in the bytes. */
  readonly starts: { readonly within: number; readonly at: number }[]
}

/** The same bytes when there is none. */
export function maskAcrossEvents(bytes: Buffer, secrets: Spellings): Buffer {
  if (secrets.all.length === 0) return bytes
  // One character for each byte: places in the text are places in the bytes.
  const source = bytes.toString('latin1')
  let masked = bytes
  for (const said of saidIn(source).values()) {
    const text = Buffer.from(said.text, 'latin1')
    for (const { from, to } of [...findPlain(text, secrets), ...findSpelt(text, secrets)]) {
      if (masked === bytes) masked = Buffer.from(bytes)
      for (let within = from; within < to; within++) masked[placeOf(said, within)] = 0x2a
    }
  }
  return masked
}

function saidIn(source: string): ReadonlyMap<string, Said> {
  const all = new Map<string, Said>()
  for (const found of source.matchAll(pieces)) {
    const [whole, name = ''] = found
    const at = found.index + whole.length
    const said = all.get(name) ?? { text: '', starts: [] }
    said.starts.push({ within: said.text.length, at })
    said.text += source.slice(at, pieceEnd(source, at))
    all.set(name, said)
  }
  return all
}

/** Where the string ends: at a quote that is not escaped. */
function pieceEnd(source: string, from: number): number {
  for (let at = from; ; at++) {
    const end = source.indexOf('"', at)
    if (end === -1) return source.length
    let escapes = 0
    while (end - 1 - escapes >= from && source[end - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return end
    at = end
  }
}

function placeOf({ starts }: Said, within: number): number {
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
