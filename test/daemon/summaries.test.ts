// What a dashboard shows of all runs: one request for a page, one stream for what changes.

import { expect, test } from 'vitest'
import type { RunEvent, StepId } from '../../src/loop/index.ts'
import type { RunSummaries, RunSummary } from '../../src/protocol/api/index.ts'
import { writeRun } from '../../src/testing/write-run.ts'
import { openApi } from './api-fixture.ts'

const started: RunEvent = {
  type: 'run-started',
  owner: 'me',
  fence: 1,
  checks: [{ check: 'test', kind: 'command' }],
}

const asks: RunEvent = {
  type: 'step-started',
  iteration: 1,
  step: 'ask:tone#1' as StepId,
  attempt: 1,
  kind: 'ask',
  wakeAtMs: 9e12,
  question: { text: 'Which tone?', options: ['calm', 'loud'], default: 'calm' },
}

const pageOf = (body: unknown): RunSummaries => body as RunSummaries
const byName = (items: readonly RunSummary[]): Readonly<Record<string, RunSummary>> =>
  Object.fromEntries(items.map((item) => [item.run.name, item]))

test('a page has what each run costs, met, waits for and did last', async () => {
  const api = await openApi()
  const asking = await writeRun(api.host.journal, { name: 'asking' })
  await asking.write(started, { type: 'iteration-started', iteration: 1 }, asks)
  const ended = await writeRun(api.host.journal, { name: 'ended' })
  const fault = { code: 'broken', message: 'It broke.', retryable: false }
  await ended.write(started, { type: 'run-ended', outcome: { type: 'failed', fault } })
  await writeRun(api.host.journal, { name: 'fresh' })
  const { status, body } = await api.get('/summaries')
  expect(status).toBe(200)
  const { items, position } = pageOf(body)
  expect(position).toBe(await api.host.journal.lastPosition())
  const named = byName(items)
  expect(named['asking']).toMatchObject({
    line: 'Which tone?',
    checks: { met: 0, of: 1 },
    spent: { tokens: 0, costMicros: 0 },
    waitsFor: { type: 'person', text: 'Which tone?', count: 1, deadlineAtMs: 9e12 },
    lastEvent: { type: 'step-started' },
  })
  expect(named['ended']).toMatchObject({
    line: 'failed: broken: It broke.',
    outcome: { type: 'failed' },
  })
  expect(named['ended']).not.toHaveProperty('waitsFor')
  expect(named['fresh']).toMatchObject({ line: 'Not started.', points: [] })
  const failed = pageOf((await api.get('/summaries?status=failed&limit=1')).body)
  expect(failed.items.map(({ run }) => run.name)).toEqual(['ended'])
})

test('a stream from the position of a page has every later change of any run, and nothing else', async () => {
  const api = await openApi()
  const { journal } = api.host
  const one = await writeRun(journal, { name: 'one' })
  const { position } = pageOf((await api.get('/summaries')).body)
  const stop = new AbortController()
  const response = await api.app.request('/summaries', {
    headers: { accept: 'text/event-stream', 'last-event-id': String(position) },
    signal: stop.signal,
  })
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error('there is no stream')
  await one.write(started)
  let text = ''
  while (!text.includes('\n\nid:') && !/id: \d+[^]*\n\n$/.test(text)) {
    const { value } = await reader.read()
    text += new TextDecoder().decode(value)
  }
  const [, id, data] = /id: (\d+)\nevent: summaries\ndata: (.*)\n\n/.exec(text) ?? []
  expect(Number(id)).toBe(await journal.lastPosition())
  const { items } = JSON.parse(data ?? '') as RunSummaries
  expect(items.map(({ run }) => [run.name, run.status])).toEqual([['one', 'running']])
  stop.abort()
  await reader.cancel()
})

test('a run of an earlier version, whose state was not summed up, is shown from its events', async () => {
  const api = await openApi()
  const { journal } = api.host
  const older = await writeRun(journal, { name: 'older' })
  await older.write(started, { type: 'iteration-started', iteration: 1 })
  const page = await journal.pageSummaries()
  const without = { ...page, rows: page.rows.map(({ summary: _summary, ...row }) => row) }
  const { viewSummaries } = await import('../../src/history/views/view-summaries.ts')
  const source = { journal: { ...journal, pageSummaries: async () => without } }
  const { items } = await viewSummaries(source, () => undefined)
  expect(items[0]).toMatchObject({ open: { iteration: 1 }, checks: { of: 1 } })
})
