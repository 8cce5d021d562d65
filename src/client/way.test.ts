import { expect, test } from 'vitest'
import { describeWay, wayTo } from './way.ts'

test.each([
  ['127.0.0.1:7700', 'http://127.0.0.1:7700'],
  ['localhost:80', 'http://localhost'],
  ['http://[::1]:7700/', 'http://[::1]:7700'],
  ['https://loops.example', 'https://loops.example'],
])('%s is an address of a daemon', (address, origin) => {
  expect(describeWay(wayTo(address))).toBe(origin)
})

test.each([
  '',
  'ftp://localhost',
  'http://me:secret@localhost:1',
  'http://localhost:7700/runs',
  'localhost:99999',
  'a b',
])('"%s" is none, and what one looks like is said', (address) => {
  expect(() => wayTo(address)).toThrow(/Write it like 127\.0\.0\.1:7700/)
})

test.each(['loops.example:7700', 'http://10.0.0.1', '127.0.0.1.evil.example', '0.0.0.0:7700'])(
  'a token is never sent to %s in the clear',
  (address) => {
    expect(() => wayTo(address)).toThrow(/Use https:\/\//)
  },
)
