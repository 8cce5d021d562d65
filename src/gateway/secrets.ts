/**
 * Takes secrets out of bytes. What replaces one is as long as it was, so that lengths, JSON and events
 * stay what they are.
 *
 * G3. Also a secret whose parts come in different chunks is found: the end of a chunk is held back
 *     exactly as long as it may be the beginning of one.
 */

import { maskAcrossEvents } from './mask-events.ts'
import { findSpelt, type Spellings, spellingsOf, speltSoFar } from './spelt.ts'

export interface Secrets {
  /** For the record. The same bytes when there is none in them. */
  mask(bytes: Buffer): Buffer
  maskText(text: string): string
  /** Of an answer on record: also what is spelt out over several events. */
  maskEvents(bytes: Buffer): Buffer
  /**
   * For the client: only the key that the provider was sent, since it may need the rest to do its work,
   * and no provider can repeat what it does not know.
   */
  forClient(key: string | undefined): ClientMask
  readonly keys: readonly string[]
  withKey(key: string): Secrets
}

export interface ClientMask {
  mask(bytes: Buffer): Buffer
  maskText(text: string): string
  /** Names of headers have lost their capitals. */
  isInName(name: string): boolean
  stream(): MaskedStream
}

export interface MaskedStream {
  push(chunk: Buffer): Buffer
  /** What was held back. */
  end(): Buffer
}

/** Shorter ones would take ordinary words out of texts. */
const charsMin = 6

export function createSecrets(keys: readonly string[], others: readonly string[]): Secrets {
  const values = [...new Set([...keys, ...others].filter(({ length }) => length >= charsMin))]
  const sought = toSought(values)
  const whole = spellingsOf(values)
  return {
    keys,
    withKey: (key) => createSecrets([...keys, key], others),
    mask: (bytes) => maskAll(bytes, sought),
    maskText: (text) => maskAll(Buffer.from(text), sought).toString(),
    maskEvents: (bytes) => maskAcrossEvents(maskAll(bytes, sought), whole),
    forClient(key) {
      const isLong = key !== undefined && key.length >= charsMin
      const own = toSought(isLong ? [key] : [])
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

interface Sought {
  readonly needles: readonly Buffer[]
  /** The same with escapes in them. */
  readonly spellings: Spellings
}

function toSought(values: readonly string[]): Sought {
  const forms = values.flatMap(writtenForms)
  return {
    needles: byLength(forms.map((form) => Buffer.from(form))),
    spellings: spellingsOf(forms),
  }
}

/** One may be the beginning of another. */
const byLength = (needles: readonly Buffer[]): readonly Buffer[] =>
  needles.toSorted((a, b) => b.length - a.length)

/** A secret as it is, in an address, in JSON, as hex, and in base64 wherever it begins in there. */
function writtenForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const encoded = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    // The first and the last characters hold bits of what is around it.
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

function maskAll(bytes: Buffer, { needles, spellings }: Sought): Buffer {
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
  for (const { from, to } of findSpelt(masked, spellings)) cover(from, to - from)
  return masked
}

const nothing = Buffer.alloc(0)

function maskedStream(sought: Sought): MaskedStream {
  let held: Buffer = nothing
  return {
    push(chunk) {
      const bytes = maskAll(held.length === 0 ? chunk : Buffer.concat([held, chunk]), sought)
      const begun = Math.max(heldBack(bytes, sought.needles), speltSoFar(bytes, sought.spellings))
      const passed = bytes.length - begun
      held = bytes.subarray(passed)
      return bytes.subarray(0, passed)
    },
    end() {
      const last = held
      held = nothing
      return last
    },
  }
}

/** How many bytes at the end are the beginning of a secret. */
function heldBack(bytes: Buffer, needles: readonly Buffer[]): number {
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
