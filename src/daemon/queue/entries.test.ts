import { expect, test } from 'vitest'
import type { RunId } from '../../loop/index.ts'
import { entriesOf } from './entries.ts'
import type { Drive, Item } from './queue-item.ts'

test('a run that waits for a person has freed its slot, and is not shown as working', () => {
  const item = (name: string, asks: boolean): [RunId, Item] => {
    const run = name as RunId
    const signal = new AbortController()
    const drive: Drive = { stop: signal, hurry: signal, settled: Promise.resolve(), asks }
    const row = { priority: 0, queuedAtMs: 0, request: {}, tries: 0, status: 'running' } as const
    return [run, { row: { ...row, run, name }, drive }]
  }
  const items = new Map([item('busy', false), item('asking', true)])
  const [busy, asking] = entriesOf(items, { start: [], waits: [] }, 3)
  expect(busy).not.toHaveProperty('waitsFor')
  expect(asking).toMatchObject({ state: 'driven', waitsFor: 'person' })
  expect(asking?.why).toContain('loopctl inbox')
})
