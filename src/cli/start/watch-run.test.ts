import { expect, test, vi } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import type { Client } from '../../client/index.ts'
import { defaultLimits, type RunEvent, type RunId } from '../../loop/index.ts'
import type { Session } from '../session.ts'
import { createStyle } from '../terminal.ts'
import { listenToLeave, watchRun } from './watch-run.ts'

const id = 'r1' as RunId
const started: RunEvent = { type: 'run-started', owner: 'me', fence: 1 }
const events: readonly RunEvent[] = [
  { type: 'run-created', eventVersion: 1, loop: 'x', codeDigest: 'x', limits: defaultLimits },
  started,
  { type: 'decision-applied', id: 1, by: 'me', decision: { type: 'pause' } },
  { type: 'run-suspended', reason: 'paused' },
  { ...started, fence: 2 },
  { type: 'run-ended', outcome: { type: 'cancelled', reason: 'enough', by: 'me' } },
]

/** Recorded events are there at once; `status` is the current status of the run. */
const clientAt = (status: string): Client =>
  ({
    async *events() {
      for (const [at, event] of events.entries()) {
        yield { run: id, seq: at + 1, position: at + 1, atMs: at, event }
      }
    },
    inspect: async () => ({ run: { id, status } }),
    queue: async () => [],
  }) as unknown as Client

async function exitCodeWith(client: Client, noInput = false): Promise<typeof process.exitCode> {
  const exitCode = process.exitCode
  const silent = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  afterStory(() => {
    silent.mockRestore()
    process.exitCode = exitCode
  })
  const terminal = { live: false, asks: false, style: createStyle(false), width: () => 80 }
  const session: Session = {
    json: true,
    quiet: true,
    noInput,
    terminal,
    hint: String,
    print: () => undefined,
  }
  const from = { before: undefined, title: '' }
  await watchRun(session, client, { id, name: 'x' }, from, listenToLeave())
  return process.exitCode
}

test.each([
  ['paused', 7],
  ['running', 6],
])('watching ends at a pause only while the run is paused: %s', async (status, code) => {
  expect(await exitCodeWith(clientAt(status))).toBe(code)
})

test('does not wait for a run that is retried much later', async () => {
  const entry = {
    run: id,
    state: 'queued',
    waitsFor: 'time',
    why: 'the disk is full',
    retryAtMs: Date.now() + 120_000,
  }
  const client = {
    async *events(_run: RunId, { signal }: { readonly signal: AbortSignal }) {
      yield { run: id, seq: 1, position: 1, atMs: 1, event: events[0] }
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
    inspect: async () => ({ run: { id, status: 'suspended' } }),
    queue: async () => [entry],
  } as unknown as Client
  expect(await exitCodeWith(client)).toBe(7)
})

test('with --no-input, a run that asks a question is left for a later answer', async () => {
  const question = { text: 'Which?', options: ['a', 'b'], default: 'a', deadlineAtMs: 1 }
  const asks = { type: 'step-started', iteration: 1, step: 'ask:which#1', attempt: 1, question }
  const client = {
    async *events(_run: RunId, { signal }: { readonly signal: AbortSignal }) {
      yield { run: id, seq: 1, position: 1, atMs: 1, event: events[0] }
      yield { run: id, seq: 2, position: 2, atMs: 2, event: asks }
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
    inspect: async () => ({ run: { id, status: 'waiting', held: true } }),
    queue: async () => [],
  } as unknown as Client
  expect(await exitCodeWith(client, true)).toBe(7)
})
