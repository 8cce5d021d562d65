import { expect, test } from 'vitest'
import { normalizeRequest } from './replay.ts'

const inJson = (text: string): string => JSON.stringify({ content: `before\n${text}\nafter` })

test.each([
  ['51.2 ms', '7 ms'],
  ['# duration_ms 3.1', '# duration_ms 44.25'],
  ['duration_ms: 0.5', 'duration_ms: 12'],
  ['✔ adds (1.2s)', '✔ adds (13 s)'],
  ['2 passed in 0.5 s', '2 passed in 12s'],
  ['Duration  1.23s (transform 120ms, setup 0ms)', 'Duration  2.5s (transform 9ms, setup 1ms)'],
  ['Time:        1.2 s', 'Time:        3 s'],
  ['ok  	example.com/a	0.003s', 'ok  	example.com/a	1.250s'],
  ['finished in 1m 2.5s', 'finished in 0.31s'],
  ['Start at  16:30:12', 'Start at  09:01:59'],
  ['2026-11-15T10:00:00Z', '2027-01-01T00:00:00.5Z'],
  ['Sun Nov 15 17:16:01 UTC 2026', 'Mon Nov 16 09:00:00 UTC 2026'],
  ['-rw-r--r-- 1 a a 12 Nov 15 17:16 a.ts', '-rw-r--r-- 1 a a 12 Dec  1 09:00 a.ts'],
  ['-rw-r--r-- 1 a a 12 Nov 15 17:16 a.ts', '-rw-r--r-- 1 a a 12 Nov  5  2025 a.ts'],
  ['1763200000', '1763200999'],
  ['http://127.0.0.1:40123/', 'http://127.0.0.1:51999/'],
  ['a'.repeat(40), 'b'.repeat(40)],
])('"%s" and "%s" are the same request', (one, other) => {
  expect(normalizeRequest(inJson(one))).toBe(normalizeRequest(inJson(other)))
})

test.each([
  ['wait 5 minutes', 'wait 6 minutes'],
  ['3 tests passed', '4 tests passed'],
  ['exit code 1', 'exit code 2'],
  ['version 1.2', 'version 1.3'],
  ['-rw-r--r-- 1 a a 12 Nov 15 17:16 a.ts', '-rw-r--r-- 1 a a 13 Nov 15 17:16 a.ts'],
  ['line 12: expected 3', 'line 12: expected 4'],
])('"%s" and "%s" are different requests', (one, other) => {
  expect(normalizeRequest(inJson(one))).not.toBe(normalizeRequest(inJson(other)))
})
