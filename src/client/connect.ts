/** A client of one daemon. What it answers is checked lightly: the daemon holds itself to its schemas. */

import { randomUUID } from 'node:crypto'
import { LoopError, type RecordedEvent } from '../loop/index.ts'
import type { QueueEntry } from '../protocol/api/index.ts'
import type { Client, Fields, ListedRun, Page, Query, Streamed, Told } from './client.ts'
import { followStream } from './follow.ts'
import type { Message } from './sse.ts'
import { type Ask, createTransport, GoneError, type Method, type Transport } from './transport.ts'
import { type Way, wayTo } from './way.ts'

export type Connection = { readonly token: string } & (
  | { readonly address: string }
  | { readonly socket: string }
)

/** Diffs, merges and the like read and write many files. */
const longMs = 300_000

export function connect(connection: Connection): Client {
  const way: Way =
    'socket' in connection ? { type: 'socket', path: connection.socket } : wayTo(connection.address)
  return createClient(createTransport(way, connection.token))
}

export function createClient(transport: Transport): Client {
  const { where } = transport
  const object = async (method: Method, path: string, ask?: Ask): Promise<Fields> =>
    requireObject(await transport.json(method, path, ask), where)
  const page = async <T>(path: string): Promise<Page<T>> => {
    const found = await object('GET', path)
    if (Array.isArray(found['items'])) return found as unknown as Page<T>
    throw strange(where)
  }
  const long = (body: Fields | undefined): Ask => ({ timeoutMs: longMs, body: body ?? {} })
  return {
    where,
    async health(options) {
      const { status } = await object('GET', '/health', options)
      if (status !== 'ok') throw strange(where)
    },
    daemon: async () =>
      (await object('GET', '/daemon')) as Fields & { version: string; pid: number },
    stopDaemon: async () => void (await transport.json('POST', '/daemon/stop', { body: {} })),
    runs: (filter = {}) => page<ListedRun>(`/runs${queryOf({ ...filter })}`),
    async createRun(request, key = randomUUID()) {
      const ask = { body: request, headers: { 'idempotency-key': key }, timeoutMs: longMs }
      const created = await object('POST', '/runs', ask).catch((error: unknown) => {
        // Whether it heard us is not known; with the same key nothing is made twice.
        if (!(error instanceof GoneError)) throw error
        return object('POST', '/runs', ask)
      })
      return requireRun(created['run'] ?? created, where)
    },
    inspect: async (run) =>
      (await object('GET', of(run))) as unknown as Awaited<ReturnType<Client['inspect']>>,
    remove: (run, { force = false } = {}) =>
      object('DELETE', `${of(run)}${queryOf({ force: force || undefined })}`, {
        timeoutMs: longMs,
      }),
    tell: (run, decision, by) => tell(transport, run, decision, by),
    resume: async (run, request = {}) =>
      void (await transport.json('POST', `${of(run)}/resume`, {
        body: request,
        timeoutMs: longMs,
      })),
    retry: (run, request) => object('POST', `${of(run)}/retry`, long(request)),
    fork: (run, request) => object('POST', `${of(run)}/fork`, long(request)),
    async answer(run, question, answer, by) {
      const path = `${of(run)}/questions/${encodeURIComponent(question)}/answer`
      await transport.json('POST', path, { body: { answer, by } })
    },
    events: (run, options) => eventsOf(transport, run, options),
    output: (run, options) => outputOf(transport, run, options),
    read: (run, what, query) =>
      transport.json('GET', `${of(run)}/${what}${queryOf(query)}`, { timeoutMs: longMs }),
    act: (run, what, body) => transport.json('POST', `${of(run)}/${what}`, long(body)),
    queue: async () => (await page<QueueEntry>('/queue')).items,
    questions: (query) => page(`/questions${queryOf(query)}`),
    worktrees: (query) => page(`/worktrees${queryOf(query)}`),
    removeWorktree: (query) =>
      transport.json('DELETE', `/worktrees${queryOf(query)}`, { timeoutMs: longMs }),
    get: (path, query) => transport.json('GET', `${path}${queryOf(query)}`, { timeoutMs: longMs }),
    post: (path, body) => transport.json('POST', path, long(body)),
  }
}

const of = (run: string): string => `/runs/${encodeURIComponent(run)}`

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return given.length === 0 ? '' : `?${given.join('&')}`
}

async function tell(transport: Transport, run: string, decision: Told, by: string): Promise<void> {
  if (decision.type === 'change-limits') {
    await transport.json('PATCH', `${of(run)}/limits`, { body: { limits: decision.limits, by } })
    return
  }
  const reason = 'reason' in decision ? { reason: decision.reason } : {}
  await transport.json('POST', `${of(run)}/${decision.type}`, { body: { by, ...reason } })
}

async function* eventsOf(
  transport: Transport,
  run: string,
  { afterSeq = 0, follow = true, signal, onBreak }: Streamed = {},
): AsyncGenerator<RecordedEvent> {
  const path = `${of(run)}/events`
  if (!follow) {
    yield* pagesOf<RecordedEvent>(transport, path, afterSeq, signal)
    return
  }
  const messages = followStream({
    after: String(afterSeq),
    signal,
    onBreak,
    open: (lastId, stop) =>
      transport.stream(path, { headers: { 'last-event-id': lastId }, signal: stop }),
    isLast: ({ data }) => recordedIn(data).event.type === 'run-ended',
    isOver: async (lastId) => {
      const { run: row } = (await transport.json('GET', of(run))) as { run: ListedRun }
      return ends.has(row.status) && row.lastSeq <= Number(lastId)
    },
  })
  for await (const { data } of messages) yield recordedIn(data)
}

async function* outputOf(
  transport: Transport,
  run: string,
  { afterSeq = 0, follow = true, signal, onBreak }: Streamed = {},
): AsyncGenerator<Fields> {
  const path = `${of(run)}/output`
  if (!follow) {
    yield* pagesOf<Fields>(transport, path, afterSeq, signal)
    return
  }
  const messages = followStream({
    after: String(afterSeq),
    signal,
    onBreak,
    open: (lastId, stop) =>
      transport.stream(path, { headers: { 'last-event-id': lastId }, signal: stop }),
    isLast: () => false,
    isOver: async () => {
      const { run: row } = (await transport.json('GET', of(run))) as { run: ListedRun }
      return ends.has(row.status)
    },
  })
  for await (const message of messages) yield parsed(message)
}

const ends: ReadonlySet<string> = new Set([
  'completed',
  'exhausted',
  'stuck',
  'stopped',
  'cancelled',
  'failed',
])

const pageItems = 500

async function* pagesOf<T>(
  transport: Transport,
  path: string,
  afterSeq: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  let query: Query = { after: afterSeq, limit: pageItems }
  for (;;) {
    const answer = (await transport.json('GET', `${path}${queryOf(query)}`, { signal })) as Page<T>
    yield* answer.items
    if (answer.next === undefined) return
    query = { cursor: answer.next, limit: pageItems }
  }
}

const recordedIn = (data: string): RecordedEvent => JSON.parse(data) as RecordedEvent
const parsed = ({ data }: Message): Fields => JSON.parse(data) as Fields

function requireObject(answer: unknown, where: string): Fields {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer))
    return answer as Fields
  throw strange(where)
}

function requireRun(answer: unknown, where: string): ListedRun {
  const run = requireObject(answer, where)
  if (typeof run['id'] === 'string' && typeof run['name'] === 'string')
    return run as unknown as ListedRun
  throw strange(where)
}

const strange = (where: string): LoopError =>
  new LoopError(
    'not-available',
    `${where} does not answer like a daemon of Loopwright of this version. Is it another program, or another version?`,
  )
