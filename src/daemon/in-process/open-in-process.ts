/**
 * The routes of the daemon, called in this process without a daemon.
 *
 * 1. Uses and changes nothing that belongs to a daemon: lock, port, token, log, queue.
 * 2. The caller is the principal, since it could open the state folder itself.
 * 3. Runs that it starts are driven in this process, and end with it.
 */

import type { Host } from '../../host/host.ts'
import { openHost } from '../../host/open-host.ts'
import { createReadLoops } from '../../launch/read-loops.ts'
import type { DaemonParts, DaemonSettings, Log } from '../parts.ts'
import type { Principal } from '../principal.ts'
import { operationsFor } from '../routes/operation-groups.ts'
import { routesFor } from '../routes/routes-for.ts'
import type { LocalRun } from './local-runs.ts'
import { createLocalScheduler, type LocalStart } from './local-scheduler.ts'

export interface InProcessOptions extends LocalStart {
  /** The state folder; created if it does not exist. */
  readonly folder: string
}

export interface InProcess {
  readonly host: Host
  /** `onError` gets the error behind a problem response. */
  answer(request: Request, onError: (error: unknown) => void): Promise<Response>
  /** A run that was started here. */
  driven(run: string): LocalRun | undefined
  /** Suspends what is driven here, and closes the state folder. */
  close(): Promise<void>
}

const principal: Principal = { type: 'process', scope: 'write' }

export async function openInProcess(options: InProcessOptions): Promise<InProcess> {
  const host = await openHost({ folder: options.folder })
  const reads = createReadLoops()
  const scheduler = createLocalScheduler(host, { ...options, reads })
  const closing = new AbortController()
  const parts: DaemonParts = {
    host,
    scheduler,
    reads,
    log: createLocalLog(options.onProblem),
    settings: settingsFor(host.folder),
    startedAtMs: Date.now(),
    closing: closing.signal,
    isReady: () => true,
    stop: () => undefined,
  }
  return {
    host,
    async answer(request, onError) {
      const operations = await operationsFor(new URL(request.url).pathname)
      return routesFor(parts, operations).fetch(request, { principal, onError })
    },
    driven: scheduler.driven,
    async close() {
      await scheduler.drain()
      closing.abort()
      await host.close()
    },
  }
}

/** Passes on only warnings of the routes: the error of a request is in its response. */
const createLocalLog = (onProblem: LocalStart['onProblem']): Log => ({
  info: () => undefined,
  warn(fields, text) {
    if (!('requestId' in fields)) onProblem(text)
  },
  error: () => undefined,
})

const settingsFor = (folder: string): DaemonSettings => ({
  folder,
  hostname: 'localhost',
  port: 0,
  maxConcurrentRuns: 1,
  maxRunsPerWorkspace: 1,
  queuePolicy: 'fifo',
})
