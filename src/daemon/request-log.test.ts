import { expect, test } from 'vitest'
import { refuse } from './refusal.ts'
import { createRequestLog } from './request-log.ts'

interface Line {
  readonly fields: object
  readonly text: string
}

function keepLines(): { lines: Line[]; log: Parameters<typeof createRequestLog>[0] } {
  const lines: Line[] = []
  const keep = (fields: object, text: string): void => void lines.push({ fields, text })
  return { lines, log: { info: keep, warn: keep, error: keep } }
}

const request = { method: 'GET', url: '/runs?token=somebody-put-it-here#x' }
const refusal = refuse('no-token', 'Send one.')

test('a refusal is logged with its path only', () => {
  const { lines, log } = keepLines()
  createRequestLog(log).refused(request, refusal)
  expect(lines).toEqual([
    { fields: { method: 'GET', path: '/runs', status: 401, code: 'no-token' }, text: 'refused' },
  ])
})

test('many refusals are counted instead of listed, and the count is logged later', () => {
  const { lines, log } = keepLines()
  let nowMs = 0
  const requests = createRequestLog(log, () => nowMs)
  for (let made = 0; made < 1000; made++) requests.refused(request, refusal)
  expect(lines).toHaveLength(20)
  nowMs = 61_000
  requests.refused(request, refusal)
  expect(lines).toHaveLength(22)
  expect(lines[20]).toEqual({ fields: { count: 980 }, text: 'refused, not listed' })
})
