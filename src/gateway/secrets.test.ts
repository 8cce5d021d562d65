import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSecrets } from './secrets.ts'

const key = 'sk-ant-0123456789'
const pieces = fc.array(
  fc.constantFrom(key, 'sk-ant-', 'sk-', 's', '0123', key.slice(1), 'ä', ' '),
  {
    maxLength: 30,
  },
)

test('however a text is cut, its keys are masked and its length stays', () => {
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
        expect(passed.includes(key)).toBe(false)
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

test('a secret is found as it is, in an address, in JSON and in base64 at any place', () => {
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

test('what is no key passes to the client as it is', () => {
  const secrets = createSecrets([key], ['database-password'])
  const { mask } = secrets.forClient(key)
  expect(mask(Buffer.from('database-password')).toString()).toBe('database-password')
  expect(secrets.maskText('database-password')).not.toContain('password')
})
