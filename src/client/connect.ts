/** A client of one daemon. What it answers is checked lightly: the daemon holds itself to its schemas. */

import { randomUUID } from 'node:crypto'
import { LoopError } from '../loop/index.ts'
import type { Page, QueueEntry } from '../protocol/api/index.ts'
import { operationPath } from '../protocol/loop-operation.ts'
import { type Client, type Query, runPath, type Told } from './client.ts'
import { queryOf, streamEvents, streamOutput } from './streams.ts'
import { type Ask, createTransport, type Method, type Transport } from './transport.ts'
import { type Way, wayTo } from './way.ts'

export type Connection = { readonly token: string | (() => string) } & (
  | { readonly address: string }
  | { readonly socket: string }
)

/** Diffs, merges and the like read and write many files. */
const longMs = 300_000

export function connect(connection: Connection): Client {
  const way: Way =
    'socket' in connection ? { type: 'socket', path: connection.socket } : wayTo(connection.address)
  const { token } = connection
  return createClient(createTransport(way, typeof token === 'string' ? () => token : token))
}

function createClient(transport: Transport): Client {
  const { where } = transport
  const { object, page, post } = createAsking(transport)
  return {
    where,
    async health(options) {
      const { status } = await object<{ status?: unknown }>('GET', '/health', options)
      if (status !== 'ok') throw strange(where)
    },
    daemon: () => object('GET', '/daemon'),
    stopDaemon: async () => void (await transport.json('POST', '/daemon/stop', { body: {} })),
    previewLoop: (file) => post('/loops/preview', { file }),
    runs: (filter = {}) => page('/runs', { ...filter }),
    queue: async () => {
      const found: unknown = await transport.json('GET', '/queue')
      return itemsOf(found, where)
    },
    questions: (query) => page('/questions', query),
    worktrees: (query) => page('/worktrees', query),
    createRun: (request, key = randomUUID()) =>
      object('POST', '/runs', {
        body: request,
        headers: { 'idempotency-key': key },
        timeoutMs: longMs,
      }),
    inspect: (run) => object('GET', runPath(run)),
    remove: (run, { force = false } = {}) =>
      object('DELETE', `${runPath(run)}${queryOf({ force: force || undefined })}`, {
        timeoutMs: longMs,
      }),
    tell: (run, decision, by) => tell(transport, run, decision, by),
    resume: (run, request = {}) => post(runPath(run, 'resume'), request),
    retry: (run, request = {}) => post(runPath(run, 'retry'), request),
    fork: (run, request) => post(runPath(run, 'fork'), request),
    async answer(run, question, answer, by) {
      await transport.json('POST', runPath(run, 'questions', question, 'answer'), {
        body: { answer, by },
      })
    },
    diff: (run, query) =>
      object('GET', `${runPath(run, 'diff')}${queryOf(query)}`, { timeoutMs: longMs }),
    merge: (run, request = {}) => post(runPath(run, 'merge'), request),
    events: (run, options) => streamEvents(transport, run, options),
    output: (run, options) => streamOutput(transport, run, options),
    operate(type, operation, { run = '', body = {} } = {}) {
      const path = operationPath(type, operation, encodeURIComponent(run))
      if (operation.method === 'get') return transport.json('GET', path, { timeoutMs: longMs })
      return transport.json('POST', path, { body, timeoutMs: longMs })
    },
    get: (path, query) => transport.json('GET', `${path}${queryOf(query)}`, { timeoutMs: longMs }),
    post: (path, body) => transport.json('POST', path, { body: body ?? {}, timeoutMs: longMs }),
    delete: (path, query) =>
      transport.json('DELETE', `${path}${queryOf(query)}`, { timeoutMs: longMs }),
  }
}

interface Asking {
  object<T>(method: Method, path: string, ask?: Ask): Promise<T>
  page<T>(path: string, query?: Query): Promise<Page<T>>
  post<T>(path: string, body: object): Promise<T>
}

/** An answer is of the kind that was asked for, whatever is in it. */
function createAsking(transport: Transport): Asking {
  const { where } = transport
  async function object<T>(method: Method, path: string, ask?: Ask): Promise<T> {
    const answer = await transport.json(method, path, ask)
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as T
    throw strange(where)
  }
  return {
    object,
    async page<T>(path: string, query?: Query) {
      const found = await object<Page<T>>('GET', `${path}${queryOf(query)}`)
      if (Array.isArray(found.items)) return found
      throw strange(where)
    },
    post: (path, body) => object('POST', path, { body, timeoutMs: longMs }),
  }
}

/** Of a list that may come in a page or as it is. */
function itemsOf(found: unknown, where: string): readonly QueueEntry[] {
  if (Array.isArray(found)) return found as QueueEntry[]
  const items = (found as { readonly items?: unknown } | undefined)?.items
  if (Array.isArray(items)) return items as QueueEntry[]
  throw strange(where)
}

async function tell(transport: Transport, run: string, decision: Told, by: string): Promise<void> {
  if (decision.type === 'change-limits') {
    const body = { limits: decision.limits, by }
    await transport.json('PATCH', runPath(run, 'limits'), { body })
    return
  }
  const reason = 'reason' in decision ? { reason: decision.reason } : {}
  await transport.json('POST', runPath(run, decision.type), { body: { by, ...reason } })
}

const strange = (where: string): LoopError =>
  new LoopError(
    'not-available',
    `${where} does not answer like a daemon of Loopwright of this version. Is it another program? ` +
      'Or start it anew: loopctl daemon stop, then loopctl daemon start.',
  )
