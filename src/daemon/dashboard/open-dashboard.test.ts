import { expect, test } from 'vitest'
import { openDashboard } from './open-dashboard.ts'

function open() {
  let nowMs = 1000
  const dashboard = openDashboard({
    address: () => 'http://127.0.0.1:7700',
    tokens: { derive: (token) => ({ token: `tab of ${token}`, scope: 'write' }) },
    now: () => nowMs,
  })
  const codeOf = (url: string): string => url.split('#code=')[1] ?? ''
  return { ...dashboard, codeOf, wait: (ms: number) => void (nowMs += ms) }
}

test('a code is exchanged once, for a token derived from the one that made the link', () => {
  const { createLink, exchange, codeOf } = open()
  const { url, expiresAtMs } = createLink('mine')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:7700\/ui\/#code=[\w-]{43}$/)
  expect(expiresAtMs).toBe(61_000)
  expect(exchange(codeOf(url))).toEqual({ token: 'tab of mine', scope: 'write' })
  expect(exchange(codeOf(url))).toBeUndefined()
})

test('a code ends after a minute', () => {
  const { createLink, exchange, codeOf, wait } = open()
  const { url } = createLink('mine')
  wait(60_000)
  expect(exchange(codeOf(url))).toBeUndefined()
})

test('only the newest codes work, so that links cannot fill the memory', () => {
  const { createLink, exchange, codeOf } = open()
  const codes = Array.from({ length: 40 }, () => codeOf(createLink('mine').url))
  expect(codes.map((code) => exchange(code) !== undefined).lastIndexOf(false)).toBe(7)
})

test('other texts are not codes', () => {
  const { exchange } = open()
  expect([exchange(''), exchange('x'.repeat(43))]).toEqual([undefined, undefined])
})
