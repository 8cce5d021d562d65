import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from './secrets.ts'

const key = 'sk-ant-0123456789'
const part = fc.constantFrom(key, 'sk-ant-', 'sk-', 's', '0123', key.slice(1), 'ä', ' ')
const escapes = fc.constantFrom('', '', String.raw`\u`, String.raw`\\u`, String.raw`\\\\U`)
/** With some characters escaped. */
const spelt = fc
  .tuple(part, fc.array(escapes, { minLength: 1, maxLength: 20 }))
  .map(([text, how]) =>
    Array.from(text, (letter, index) => {
      const escape = how[index % how.length] ?? ''
      const hex = letter.charCodeAt(0).toString(16).padStart(4, '0')
      if (escape === '') return letter
      return escape.endsWith('U')
        ? `${escape.slice(0, -1)}u${hex.toUpperCase()}`
        : `${escape}${hex}`
    }).join(''),
  )
const pieces = fc.array(fc.oneof(part, spelt), { maxLength: 30 })

const unescaped = (text: string): string =>
  text.replaceAll(/\\{1,8}u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )

test('keys are masked and the length stays the same, however the text is split', () => {
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''))
        const stream = createSecrets([key], []).forClient(key).stream()
        const out: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1
          out.push(stream.push(bytes.subarray(at, at + size)))
          at += size
        }
        const passed = Buffer.concat([...out, stream.end()])
        expect(passed).toEqual(createSecrets([key], []).forClient(key).mask(bytes))
        expect(passed.length).toBe(bytes.length)
        expect(unescaped(passed.toString())).not.toContain(key)
      },
    ),
  )
})

test('nothing is held back that cannot become a key', () => {
  const stream = createSecrets([key], []).forClient(key).stream()
  expect(stream.push(Buffer.from('data: x\n\n')).toString()).toBe('data: x\n\n')
  expect(stream.push(Buffer.from('tell sk-a')).toString()).toBe('tell ')
  expect(stream.push(Buffer.from('b!')).toString()).toBe('sk-ab!')
})

test('a secret is found as it is, URL-encoded, in JSON and in base64 at any offset', () => {
  const secret = 'pass "word" +/=?'
  const secrets = createSecrets([], [secret])
  for (const before of ['', 'a', 'ab', 'abc']) {
    const encoded = Buffer.from(`${before}${secret}tail`).toString('base64')
    const masked = Buffer.from(secrets.maskText(encoded), 'base64').toString('latin1')
    expect(masked).not.toContain(secret.slice(2, -2))
  }
  expect(secrets.maskText(encodeURIComponent(secret))).not.toContain('word')
  expect(secrets.maskText(JSON.stringify({ secret }))).not.toContain('word')
})

test('what is not a key reaches the client unchanged', () => {
  const secrets = createSecrets([key], ['database-password'])
  const { mask } = secrets.forClient(key)
  expect(mask(Buffer.from('database-password')).toString()).toBe('database-password')
  expect(secrets.maskText('database-password')).not.toContain('password')
})

test.each([
  ['every letter', (letter: string) => escapeOf(letter)],
  ['every second letter', (letter: string, at: number) => (at % 2 ? escapeOf(letter) : letter)],
  ['the last letter', (letter: string, at: number) => (at === 19 ? escapeOf(letter) : letter)],
  ['JSON within JSON', (letter: string) => `\\${escapeOf(letter)}`],
])('a secret is found with escapes for %s', (_name, write) => {
  const secret = 'pass"wörd"/0123-456+'
  const secrets = createSecrets([], [secret])
  const written = Array.from(secret, write).join('')
  const masked = secrets.maskText(`{"a":"${written}"}`)
  expect(masked).toBe(`{"a":"${'[secret]'.padEnd(Buffer.byteLength(written), '*')}"}`)
  const base64 = Array.from(Buffer.from(secret).toString('base64'), write).join('')
  expect(unescaped(secrets.maskText(base64))).not.toContain('cGFzcyJ3')
})

test('a secret with escapes is found over several events', () => {
  const secrets = createSecrets([], [key])
  const events = Array.from(
    key,
    (letter, at) => `data: {"delta":"${at % 3 ? escapeOf(letter) : letter}"}\n\n`,
  ).join('')
  const masked = secrets.maskEvents(Buffer.from(events)).toString()
  expect(masked.replaceAll(/data: {"delta":"\*+"}\n\n/g, '')).toBe('')
})

test('a key is recognized in a header name, which is in lower case', () => {
  const { isInName } = createSecrets([], []).forClient('sk-Ant-0123456789')
  expect(isInName('x-sk-ant-0123456789')).toBe(true)
  expect(isInName('x-request-id')).toBe(false)
})

function escapeOf(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}
