/** A client of one daemon. Responses are only checked lightly: the daemon validates against its schemas. */

import { defined, LoopError } from '../loop/index.ts'
import type { Page, QueueEntry } from '../protocol/api/index.ts'
import { operationPath } from '../protocol/api/loop-operation.ts'
import {
  type Client,
  type ClientSchedules,
  type ControlDecision,
  type Query,
  runPath,
} from './client.ts'
import {
  streamEvents,
  streamOutput,
  streamSchedules,
  streamSummaries,
  toQueryString,
} from './streams.ts'
import type { Method, Transport, TransportRequest } from './transport.ts'

/** Diffs, merges and similar requests read and write many files. */
const longMs = 300_000

export function createClient(transport: Transport): Client {
  const { where } = transport
  const { object, page, post } = createRequests(transport)
  return {
    where,
    async health(options) {
      const { status } = await object<{ status?: unknown }>('GET', '/health', options)
      if (status !== 'ok') throw notADaemon(where)
    },
    daemon: () => object('GET', '/daemon'),
    stopDaemon: async () => void (await transport.json('POST', '/daemon/stop', { body: {} })),
    machine: () => object('GET', '/daemon/machine'),
    createDashboardLink: () => object('POST', '/daemon/links', { body: {} }),
    ...createLoops({ object, post }),
    runs: (filter = {}) => page('/runs', { ...filter }),
    summaries: (filter = {}) => object('GET', `/summaries${toQueryString({ ...filter })}`),
    changedSummaries: (options) => streamSummaries(transport, options),
    queue: async () => {
      const response: unknown = await transport.json('GET', '/queue')
      return readItems(response, where)
    },
    questions: (query) => page('/questions', query),
    worktrees: (query) => page('/worktrees', query),
    createRun: (request, key = crypto.randomUUID()) =>
      object('POST', '/runs', {
        body: request,
        headers: { 'idempotency-key': key },
        timeoutMs: longMs,
      }),
    inspect: (run) => object('GET', runPath(run)),
    remove: (run, { force = false } = {}) =>
      object('DELETE', `${runPath(run)}${toQueryString({ force: force || undefined })}`, {
        timeoutMs: longMs,
      }),
    sendDecision: (run, decision, by) => sendDecision(transport, run, decision, by),
    tell: (run, decision, by) => sendDecision(transport, run, decision, by),
    resume: (run, request = {}) => post(runPath(run, 'resume'), request),
    retry: (run, request = {}) => post(runPath(run, 'retry'), request),
    fork: (run, request) => post(runPath(run, 'fork'), request),
    async answer(run, question, answer, by) {
      await transport.json('POST', runPath(run, 'questions', question, 'answer'), {
        body: { ...(typeof answer === 'string' ? { answer } : answer), by },
      })
    },
    diff: (run, query) =>
      object('GET', `${runPath(run, 'diff')}${toQueryString(query)}`, { timeoutMs: longMs }),
    report: (run) => transport.text('GET', runPath(run, 'report'), { timeoutMs: longMs }),
    artifact: (run, path) => transport.text('GET', artifactPath(run, path)),
    merge: (run, request = {}) => post(runPath(run, 'merge'), request),
    land: (run, request) => post(runPath(run, 'land'), request),
    events: (run, options) => streamEvents(transport, run, options),
    output: (run, options) => streamOutput(transport, run, options),
    ...createLearned({ object, page, post }),
    digest: (query = {}) =>
      object('GET', `/digest${toQueryString({ ...query })}`, { timeoutMs: longMs }),
    escalations: (query = {}) =>
      object('GET', `/escalations${toQueryString({ ...query })}`, { timeoutMs: longMs }),
    operate(type, operation, { run = '', body = {} } = {}) {
      const path = operationPath(type, operation, encodeURIComponent(run))
      if (operation.method === 'get') return transport.json('GET', path, { timeoutMs: longMs })
      return transport.json('POST', path, { body, timeoutMs: longMs })
    },
    schedules: createSchedules(transport, { object, post }),
    get: (path, query) =>
      transport.json('GET', `${path}${toQueryString(query)}`, { timeoutMs: longMs }),
    post: (path, body) => transport.json('POST', path, { body: body ?? {}, timeoutMs: longMs }),
    delete: (path, query) =>
      transport.json('DELETE', `${path}${toQueryString(query)}`, { timeoutMs: longMs }),
  }
}

type Loops = Pick<
  Client,
  'loops' | 'findLoops' | 'catalog' | 'previewLoop' | 'planRun' | 'preflight'
>

/** Loop files, before a run. */
const createLoops = ({ object, post }: Pick<Requests, 'object' | 'post'>): Loops => ({
  loops: () => object('GET', '/loops', { timeoutMs: longMs }),
  findLoops: (folder) => post('/loops/find', { folder }),
  catalog: () => object('GET', '/catalog'),
  previewLoop: (file) => post('/loops/preview', { file }),
  planRun: (request) => post('/loops/plan', request),
  preflight: (request) => post('/loops/preflight', request),
})

type Learned = Pick<
  Client,
  | 'levels'
  | 'levelChanges'
  | 'decideLevel'
  | 'memories'
  | 'memory'
  | 'forgetMemory'
  | 'forgetMemories'
>

/** What loops remember, and the levels that they earned. */
const createLearned = ({ object, page, post }: Requests): Learned => ({
  levels: (query = {}) =>
    object('GET', `/levels${toQueryString({ ...query })}`, { timeoutMs: longMs }),
  levelChanges: (query) => page('/levels/changes', query),
  decideLevel: (request) => post('/levels', request),
  memories: (query) => page('/memory', query),
  memory: (fact) => object('GET', `/memory/${encodeURIComponent(fact)}`),
  forgetMemory: (fact) => object('DELETE', `/memory/${encodeURIComponent(fact)}`),
  forgetMemories: (of) =>
    object('DELETE', `/memory${toQueryString({ ...of })}`, { timeoutMs: longMs }),
})

function createSchedules(
  transport: Transport,
  { object, post }: Pick<Requests, 'object' | 'post'>,
): ClientSchedules {
  const path = (schedule: string, more = ''): string =>
    `/schedules/${encodeURIComponent(schedule)}${more}`
  return {
    list: () => object('GET', '/schedules'),
    changes: (options) => streamSchedules(transport, options),
    get: (schedule) => object('GET', path(schedule)),
    add: (request) => post('/schedules', request),
    remove: (schedule) => object('DELETE', path(schedule)),
    pause: (schedule, request = {}) => post(path(schedule, '/pause'), request),
    resume: (schedule, request = {}) => post(path(schedule, '/resume'), request),
    run: (schedule, request = {}) => post(path(schedule, '/run'), request),
    pauseAll: (request = {}) => post('/schedules/pause', request),
    resumeAll: (request = {}) => post('/schedules/resume', request),
  }
}

const artifactPath = (run: string, path: string): string =>
  [runPath(run, 'artifacts'), ...path.split('/').map(encodeURIComponent)].join('/')

interface Requests {
  object<T>(method: Method, path: string, init?: TransportRequest): Promise<T>
  page<T>(path: string, query?: Query): Promise<Page<T>>
  post<T>(path: string, body: object): Promise<T>
}

/** Checks that a response has the expected kind, whatever its content. */
function createRequests(transport: Transport): Requests {
  const { where } = transport
  async function object<T>(method: Method, path: string, init?: TransportRequest): Promise<T> {
    const value = await transport.json(method, path, init)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as T
    throw notADaemon(where)
  }
  return {
    object,
    async page<T>(path: string, query?: Query) {
      const response = await object<Page<T>>('GET', `${path}${toQueryString(query)}`)
      if (Array.isArray(response.items)) return response
      throw notADaemon(where)
    },
    post: (path, body) => object('POST', path, { body, timeoutMs: longMs }),
  }
}

/** The items of a list that may come as a page or as an array. */
function readItems(response: unknown, where: string): readonly QueueEntry[] {
  if (Array.isArray(response)) return response as QueueEntry[]
  const items = (response as { readonly items?: unknown } | undefined)?.items
  if (Array.isArray(items)) return items as QueueEntry[]
  throw notADaemon(where)
}

async function sendDecision(
  transport: Transport,
  run: string,
  decision: ControlDecision,
  by: string,
): Promise<void> {
  if (decision.type === 'change-limits') {
    const { limits, reason } = decision
    const body = { limits, by, ...defined({ reason }) }
    await transport.json('PATCH', runPath(run, 'limits'), { body })
    return
  }
  if (decision.type === 'tell') {
    const { type: _type, ...told } = decision
    await transport.json('POST', runPath(run, 'tell'), { body: { ...told, by } })
    return
  }
  const reason = 'reason' in decision ? { reason: decision.reason } : {}
  await transport.json('POST', runPath(run, decision.type), { body: { by, ...reason } })
}

const notADaemon = (where: string): LoopError =>
  new LoopError(
    'not-available',
    `${where} does not answer like a Loopwright daemon of this version. It may be another program. ` +
      'If it is a daemon, restart it: loopctl daemon restart',
  )
