/** Looks for a secret in everything that a story left behind, in whatever way it may be written. */

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** As it is, in an address, in JSON, in hex, and in base64 wherever it begins in there. */
export const written = (secret: string): readonly string[] => spellings(secret, 0)

/** What of that is the same wherever it is: in base64 the ends depend on what is around. */
const sought = (secret: string): readonly string[] => spellings(secret, 4)

function spellings(secret: string, ends: number): readonly string[] {
  const bytes = Buffer.from(secret)
  const encoded = [0, 1, 2].flatMap((shift) => {
    const inside = Buffer.concat([Buffer.alloc(shift, 'x'), bytes, Buffer.from('yz')])
    const text = inside.toString('base64').replaceAll('=', '')
    const core = text.slice(ends, text.length - 2 * ends)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const json = JSON.stringify(secret).slice(1, -1)
  const hex = bytes.toString('hex')
  const plain = [secret, encodeURIComponent(secret), json, json.replaceAll('/', String.raw`\/`)]
  return [...new Set([...plain, hex, hex.toUpperCase(), ...encoded])]
}

/** Where it was found: `place: spelling`. */
export const occurrences = (place: string, text: string, secret: string): readonly string[] =>
  sought(secret)
    .filter((spelling) => text.includes(spelling))
    .map((spelling) => `${place}: ${around(text, spelling)}`)

function around(text: string, spelling: string): string {
  const at = text.indexOf(spelling)
  return JSON.stringify(text.slice(Math.max(0, at - 80), at + spelling.length + 20))
}

/** In names of files, and in what they hold, also packed. */
export function occurrencesIn(
  folder: string,
  secret: string,
  isMeant: (path: string) => boolean = () => true,
): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    if (!isMeant(name)) return []
    const text = entry.isFile() ? contentOf(path) : ''
    return occurrences(name, `${name}\n${text}`, secret)
  })
}

/** The database holds packed content too, which is found by how it begins. */
function contentOf(path: string): string {
  const bytes = readFileSync(path)
  return [bytes, ...packedIn(bytes)].map((part) => part.toString('latin1')).join('\n')
}

function packedIn(bytes: Buffer): readonly Buffer[] {
  const found: Buffer[] = []
  const begin = Buffer.from([0x1f, 0x8b, 0x08])
  for (let at = bytes.indexOf(begin); at !== -1; at = bytes.indexOf(begin, at + 1)) {
    try {
      const inner = gunzipSync(bytes.subarray(at))
      found.push(inner, ...packedIn(inner))
    } catch {
      // It only looked like it.
    }
  }
  return found
}
