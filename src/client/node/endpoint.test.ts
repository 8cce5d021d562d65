import { expect, test } from 'vitest'
import { describeEndpoint, parseAddress } from './endpoint.ts'

test.each([
  ['127.0.0.1:7700', 'http://127.0.0.1:7700'],
  ['localhost:80', 'http://localhost'],
  ['http://[::1]:7700/', 'http://[::1]:7700'],
  ['https://loops.example', 'https://loops.example'],
])('%s is a daemon address', (address, origin) => {
  expect(describeEndpoint(parseAddress(address))).toBe(origin)
})

test.each([
  '',
  'ftp://localhost',
  'http://me:secret@localhost:1',
  'http://localhost:7700/runs',
  'localhost:99999',
  'a b',
])('"%s" is not a daemon address, and the message shows a valid one', (address) => {
  expect(() => parseAddress(address)).toThrow(/Use a form like 127\.0\.0\.1:7700/)
})

test.each(['loops.example:7700', 'http://10.0.0.1', '127.0.0.1.evil.example', '0.0.0.0:7700'])(
  'a token is never sent to %s unencrypted',
  (address) => {
    expect(() => parseAddress(address)).toThrow(/Use https:\/\//)
  },
)
