import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../history/load-exchange.ts'
import { type BlobId, type RunEvent, type RunId, type StepId, stepId } from '../../loop/index.ts'
import { createStyle } from '../terminal.ts'
import { renderExchange, renderExchanges } from './exchange-view.ts'
import { createIterationReader, type ExchangeRecord } from './iteration-record.ts'

const style = createStyle(false)
const maker = 'agent:maker#1' as StepId

const record: ExchangeRecord = {
  step: maker,
  attempt: 1,
  ordinal: 1,
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  ended: 'complete',
  spent: { tokens: 1234, costMicros: 12_300 },
  isEstimated: false,
  durationMs: 1500,
  blob: 'b1' as BlobId,
  bytes: 10,
}

const exchange: Exchange = {
  version: 1,
  step: '1/agent:maker#1',
  ordinal: 2,
  format: 'anthropic',
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  atMs: Date.parse('2026-11-15T12:00:00Z'),
  durationMs: 1500,
  request: { path: '/v1/messages', body: { encoding: 'utf8', text: '{"max_tokens":5}' } },
  answer: {
    status: 200,
    headers: {},
    body: { encoding: 'utf8', text: 'event: ping\u001B[2J\n\n' },
    isTruncated: true,
  },
  ended: 'complete',
  attempts: 1,
  usage: { input: 10, cacheRead: 20, cacheWrite: 3, cacheWriteHour: 0, output: 5, webSearches: 0 },
  spent: { tokens: 38, costMicros: 100 },
  isEstimated: true,
}

describe('exchanges with models', () => {
  test('are listed in a table per iteration, and estimates are marked', () => {
    const second = { ...record, ordinal: 2, ended: 'rate-limited', isEstimated: true }
    expect(renderExchanges(style, [record, second])).toEqual([
      '2 exchanges with models',
      '  #  MODEL                      ENDED         TOKENS  COST   TOOK',
      '  1  anthropic claude-sonnet-5  complete      1,234   $0.01  1.5 s',
      '  2  anthropic claude-sonnet-5  rate-limited  1,234   $0.01  1.5 s  estimated',
    ])
    expect(renderExchanges(style, [])).toEqual([])
  })

  test('have a step column if there are several steps or attempts', () => {
    const others = [
      record,
      { ...record, attempt: 2 },
      { ...record, step: stepId('', 'agent:judge', 1) },
    ]
    const lines = renderExchanges(style, others)
    expect(lines[1]).toMatch(/#\s+STEP\s+MODEL/)
    expect(lines[2]).toMatch(/1\s+maker\s+anthropic/)
    expect(lines[3]).toMatch(/2\s+maker, attempt 2\s+anthropic/)
    expect(lines[4]).toMatch(/3\s+judge\s+anthropic/)
  })

  test('are read from the events of their own iteration only', () => {
    const { step, ...note } = record
    const events: RunEvent[] = [
      { type: 'iteration-started', iteration: 1 },
      { type: 'step-started', iteration: 1, step: maker, attempt: 1 },
      { type: 'step-noted', iteration: 1, step: maker, note: { type: 'exchanged', ...note } },
      { type: 'iteration-ended', iteration: 1, ending: { type: 'continue' } },
      { type: 'iteration-started', iteration: 2 },
      { type: 'step-started', iteration: 2, step: maker, attempt: 1 },
    ]
    const exchangesOf = (wanted: number): readonly ExchangeRecord[] | undefined => {
      const reader = createIterationReader(wanted)
      events.forEach((event, index) => {
        const seq = index + 1
        reader.add({ run: 'r1' as RunId, seq, position: seq, atMs: seq * 1000, event })
      })
      return reader.found()?.exchanges
    }
    expect(exchangesOf(1)).toEqual([record])
    expect(exchangesOf(2)).toEqual([])
    expect(step).toBe(maker)
  })

  test('are shown completely: request, answer, and no terminal control sequences', () => {
    expect(renderExchange(style, exchange)).toBe(
      `
anthropic claude-sonnet-5: complete
step 1/agent:maker#1, exchange 2, at 2026-11-15T12:00:00.000Z, 1.5 s
38 tokens, $0.0001 (estimated): 10 in, 23 cached, 5 out; 1 request sent

request, anthropic format, POST /v1/messages
{
  "max_tokens": 5
}

answer, status 200, truncated
event: ping\\x1b[2J`.trimStart(),
    )
  })

  test('that are not text are not printed as text, and problems are reported', () => {
    const { answer } = exchange
    const text = renderExchange(style, {
      ...exchange,
      answer: { ...answer, body: { encoding: 'base64', text: 'AAAA' }, isTruncated: false },
      trouble: { kind: 'budget', message: 'The budget is spent.' },
    })
    expect(text).toContain('answer, status 200\n(not text: 4 characters of base64)')
    expect(text).toContain('1 request sent\nThe budget is spent.\n')
  })
})
