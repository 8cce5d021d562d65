import { expect, test } from 'vitest'
import {
  type BlobId,
  initialState,
  type ReservationId,
  type RunEvent,
  type RunId,
  type StepId,
  type StepNote,
} from '../../loop/index.ts'
import { createStyle } from '../terminal.ts'
import { createDisplay } from './display.ts'
import { renderStatusLine } from './status-line.ts'

test('a question that ends after the display was closed does not bring the status line back', () => {
  const written: string[] = []
  const output = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  const terminal = { live: true, asks: true, style: createStyle(false), width: () => 80 }
  const display = createDisplay(output, terminal, initialState)
  display.pause()
  display.resume()
  expect(written.join('')).toContain('0/')
  display.pause()
  display.close()
  written.length = 0
  display.resume()
  expect(written).toEqual([])
})

test('the status line says that an agent waits for a provider, and when it continues', () => {
  const written: string[] = []
  const output = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  const terminal = { live: true, asks: true, style: createStyle(false), width: () => 100 }
  const display = createDisplay(output, terminal, initialState)
  const step = 'agent:maker#1' as StepId
  let seq = 0
  const show = (event: RunEvent): string => {
    written.length = 0
    seq++
    display.show({ run: 'r1' as RunId, seq, position: seq, atMs: Date.now(), event })
    return written.at(-1) ?? ''
  }
  const note = (one: StepNote): string =>
    show({ type: 'step-noted', iteration: 1, step, note: one })
  const exchanged: StepNote = {
    type: 'exchanged',
    attempt: 1,
    ordinal: 3,
    provider: 'anthropic',
    model: 'm',
    ended: 'complete',
    spent: { tokens: 1, costMicros: 1 },
    isEstimated: false,
    durationMs: 1,
    blob: 'b' as BlobId,
    bytes: 1,
  }
  try {
    expect(show({ type: 'step-started', iteration: 1, step, attempt: 1 })).toContain('maker 0.')
    const untilMs = Date.now() + 60_000
    expect(note({ type: 'waiting', untilMs, message: 'closed' })).toMatch(
      /maker: waiting until \d\d:\d\d:\d\d /,
    )
    expect(note(exchanged)).toContain('maker: waiting until')
    const worst = { tokens: 1, costMicros: 1 }
    const id = 'x' as ReservationId
    expect(show({ type: 'budget-reserved', id, iteration: 1, step, worst })).toContain(
      'maker: thinking',
    )
    expect(note(exchanged)).toContain('maker: at work, 3 answers so far')
  } finally {
    display.close()
  }
})

test('the end of a run is complete on a narrow terminal, and wraps at words', () => {
  const written: string[] = []
  const output = { write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  const terminal = { live: true, asks: true, style: createStyle(false), width: () => 50 }
  const display = createDisplay(output, terminal, initialState)
  const message = `it went wrong ${'in many words '.repeat(9)}see --again`
  const fault = { code: 'tool-failed', message, retryable: false } as const
  const event: RunEvent = { type: 'run-ended', outcome: { type: 'failed', fault } }
  display.show({ run: 'r1' as RunId, seq: 1, position: 1, atMs: 1, event })
  display.close()
  const lines = written.flatMap((text) => text.split('\n')).filter((line) => /[a-z]{2}/.test(line))
  expect(lines.join(' ')).toContain('see --again')
  expect(lines.every((line) => line.length <= 50)).toBe(true)
})

test('on a narrow terminal, the reason for waiting replaces the progress bar', () => {
  const doing = { what: 'waits for workspace shop', sinceMs: 0 }
  expect(renderStatusLine(initialState, doing, 0, 80)).toContain('░')
  const narrow = renderStatusLine(initialState, doing, 0, 44)
  expect(narrow).toMatch(/^. 0\/\d+ {2}waits for workspace shop 0/)
})
