/** The routes of a daemon in this process, without a port: a host, a scheduler, and the log. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRoutes, openScheduler, type Scheduler } from '../../src/daemon/index.ts'
import { type Host, openHost } from '../../src/host/index.ts'
import { defined } from '../../src/loop/index.ts'
import type { LoopTypeDefinition } from '../../src/loops/index.ts'
import { afterFile, afterStory } from '../after.ts'

export interface Api {
  readonly app: Pick<ReturnType<typeof createRoutes>, 'request' | 'routes'>
  readonly host: Host
  readonly scheduler: Scheduler
  /** What was logged as an error. */
  readonly errors: readonly string[]
  readonly stopped: { times: number }
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Fields
}

export interface Fields {
  readonly [name: string]: unknown
}

export interface ApiOptions {
  /** Replaces the host's own. */
  readonly inspect?: Host['inspect']
  /** Whether it is for one test, or for all tests of a file. */
  readonly lasts?: 'story' | 'file'
  /** The types that loop files can name; default: the built-in ones. */
  readonly loopTypes?: readonly LoopTypeDefinition[]
}

export async function openApi(options: ApiOptions = {}): Promise<Api> {
  const { lasts = 'story', inspect, loopTypes } = options
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-api-'))
  const opened = await openHost({ folder: join(folder, 'state'), ...defined({ loopTypes }) })
  const host = inspect === undefined ? opened : { ...opened, inspect }
  const errors: string[] = []
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (fields: object, text: string) => void errors.push(`${text} ${JSON.stringify(fields)}`),
  }
  const settings = {
    folder: host.folder,
    hostname: '127.0.0.1',
    port: 0,
    maxConcurrentRuns: 3,
    maxRunsPerWorkspace: 1,
    queuePolicy: 'fifo',
  } as const
  const scheduler = await openScheduler({ host, log, settings })
  const closing = new AbortController()
  const after = lasts === 'file' ? afterFile : afterStory
  after(async () => {
    closing.abort()
    await scheduler.drain()
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const stopped = { times: 0 }
  const routes = createRoutes({
    host,
    scheduler,
    log,
    settings,
    startedAtMs: Date.now(),
    closing: closing.signal,
    isReady: () => true,
    stop: () => void stopped.times++,
  })
  const principal = { type: 'process', scope: 'write' } as const
  const app: Api['app'] = {
    routes: routes.routes,
    request: (path, init, bindings) => routes.request(path, init, { principal, ...bindings }),
  }
  const send: Api['send'] = async (method, path, body, headers = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await app.request(path, { method, headers, ...sent })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? (JSON.parse(text) as Fields) : {},
    }
  }
  const get: Api['get'] = (path, headers) => send('GET', path, undefined, headers)
  return { app, host, scheduler, errors, stopped, get, send }
}
