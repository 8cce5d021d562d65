/**
 * Masks secrets in bytes. A mask has the same length as the secret, so that lengths, JSON and
 * events stay valid.
 *
 * G3. A secret that spans several chunks is found as well: the end of a chunk is held back
 *     exactly as long as it may be the start of a secret.
 */

import { countPendingBytes, findEscaped, type Spellings, toSpellings } from './escaped-words.ts'
import { maskAcrossEvents } from './mask-events.ts'

export interface Secrets {
  /** For the recording. Returns the same bytes if there is nothing to mask. */
  mask(bytes: Buffer): Buffer
  maskText(text: string): string
  /** For a recorded response: also masks secrets spread over several events. */
  maskEvents(bytes: Buffer): Buffer
  /**
   * For the client: masks only the key that was sent to the provider. The client may need the other
   * secrets for its work, and a provider cannot repeat what it does not know.
   */
  forClient(key: string | undefined): ClientMask
  readonly keys: readonly string[]
  withKey(key: string): Secrets
}

export interface ClientMask {
  mask(bytes: Buffer): Buffer
  maskText(text: string): string
  /** Header names arrive in lower case. */
  isInName(name: string): boolean
  stream(): MaskedStream
}

export interface MaskedStream {
  push(chunk: Buffer): Buffer
  /** What was held back. */
  end(): Buffer
}

/** Shorter ones would mask ordinary words. */
const charsMin = 6

export function createSecrets(keys: readonly string[], others: readonly string[]): Secrets {
  const values = [...new Set([...keys, ...others].filter(({ length }) => length >= charsMin))]
  const patterns = toPatterns(values)
  const spellings = toSpellings(values)
  return {
    keys,
    withKey: (key) => createSecrets([...keys, key], others),
    mask: (bytes) => maskAll(bytes, patterns),
    maskText: (text) => maskAll(Buffer.from(text), patterns).toString(),
    maskEvents: (bytes) => maskAcrossEvents(maskAll(bytes, patterns), spellings),
    forClient(key) {
      const isLong = key !== undefined && key.length >= charsMin
      const own = toPatterns(isLong ? [key] : [])
      const names = own.needles.map((needle) => needle.toString().toLowerCase())
      return {
        mask: (bytes) => maskAll(bytes, own),
        maskText: (text) => maskAll(Buffer.from(text), own).toString(),
        isInName: (name) => names.some((one) => name.toLowerCase().includes(one)),
        stream: () => maskedStream(own),
      }
    },
  }
}

interface SecretPatterns {
  readonly needles: readonly Buffer[]
  /** The same with characters escaped. */
  readonly spellings: Spellings
}

function toPatterns(values: readonly string[]): SecretPatterns {
  const forms = values.flatMap(writtenForms)
  return {
    needles: byLength(forms.map((form) => Buffer.from(form))),
    spellings: toSpellings(forms),
  }
}

/** Longest first, since one may be the start of another. */
const byLength = (needles: readonly Buffer[]): readonly Buffer[] =>
  needles.toSorted((a, b) => b.length - a.length)

/** A secret as it is, URL-encoded, in JSON, in hex, and in base64 at any alignment. */
function writtenForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const encoded = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    // The first and last characters contain bits of the surrounding bytes.
    const core = text.slice(shift === 0 ? 0 : shift + 1, text.length - 1)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const json = JSON.stringify(secret).slice(1, -1)
  const hex = bytes.toString('hex')
  const forms = [
    secret,
    encodeURIComponent(secret),
    json,
    json.replaceAll('/', String.raw`\/`),
    JSON.stringify(json).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...encoded,
  ]
  return [...new Set(forms)].filter((form) => form.length >= charsMin)
}

function maskAll(bytes: Buffer, { needles, spellings }: SecretPatterns): Buffer {
  let masked = bytes
  const cover = (at: number, length: number): void => {
    if (masked === bytes) masked = Buffer.from(bytes)
    masked.write('[secret]'.slice(0, length).padEnd(length, '*'), at, 'latin1')
  }
  for (const needle of needles) {
    for (let at = masked.indexOf(needle); at !== -1; at = masked.indexOf(needle, at)) {
      cover(at, needle.length)
      at += needle.length
    }
  }
  for (const { from, to } of findEscaped(masked, spellings)) cover(from, to - from)
  return masked
}

const nothing = Buffer.alloc(0)

function maskedStream(patterns: SecretPatterns): MaskedStream {
  let held: Buffer = nothing
  return {
    push(chunk) {
      const bytes = maskAll(held.length === 0 ? chunk : Buffer.concat([held, chunk]), patterns)
      const pending = Math.max(
        countHeldBytes(bytes, patterns.needles),
        countPendingBytes(bytes, patterns.spellings),
      )
      const end = bytes.length - pending
      held = bytes.subarray(end)
      return bytes.subarray(0, end)
    },
    end() {
      const last = held
      held = nothing
      return last
    },
  }
}

/** How many bytes at the end may be the start of a secret. */
function countHeldBytes(bytes: Buffer, needles: readonly Buffer[]): number {
  let longest = 0
  for (const needle of needles) {
    const first = needle[0] ?? 0
    const from = Math.max(0, bytes.length - needle.length + 1)
    for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
      const length = bytes.length - at
      if (length <= longest) break
      if (bytes.compare(needle, 0, length, at) === 0) {
        longest = length
        break
      }
    }
  }
  return longest
}
