import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeSessionToken, readSessionToken } from './session-token.ts'

const digest = createHash('sha256').update('the token').digest()
const own = 'the token of the daemon'

test('a token of a tab names the token that it is derived from, and is new each time', () => {
  const token = makeSessionToken(own, digest)
  expect(readSessionToken(own, token)).toEqual(digest)
  expect(makeSessionToken(own, digest)).not.toBe(token)
})

test('it ends when the token of the daemon is replaced', () => {
  expect(readSessionToken('another', makeSessionToken(own, digest))).toBeUndefined()
})

test('no other text is one', () => {
  const [prefix, nonce, , signature] = makeSessionToken(own, digest).split('.')
  const other = createHash('sha256').update('another').digest('base64url')
  const token = makeSessionToken(own, digest)
  const forged = [
    [prefix, nonce, other, signature].join('.'),
    `${token}.x`,
    token.slice(0, -1),
    `${token}A`,
    token.replace('tab', 'tub'),
    'tab...',
    '',
  ]
  expect(forged.map((text) => readSessionToken(own, text))).toEqual(forged.map(() => undefined))
})
