/**
 * Drives requested runs in this process, at once. It has no queue: the one on disk belongs to the daemon and
 * is only shown.
 */

import type { Host } from '../../host/host.ts'
import type { CreatedRun } from '../../launch/start/create-run.ts'
import type { DriveChoice } from '../../launch/start/drive-run.ts'
import type { StartParts } from '../../launch/start/start-host.ts'
import { defined, isEnd } from '../../loop/index.ts'
import type { QueueEntry } from '../../protocol/api/index.ts'
import type { RunStarter, Submitted } from '../parts.ts'
import { createLocalRuns, type LocalRun, loadAgain } from './local-runs.ts'

export interface LocalStart extends Pick<StartParts, 'excludedPaths' | 'onLine' | 'reads'> {
  readonly onProblem: (problem: string) => void
  /** Aborting it suspends the runs driven here, and cancels those being started. */
  readonly signal: AbortSignal
}

export interface LocalScheduler extends RunStarter {
  driven(run: string): LocalRun | undefined
}

export function createLocalScheduler(host: Host, options: LocalStart): LocalScheduler {
  const onProblem = (problem: string): void => options.onProblem(problem)
  const parts = { ...options, host, onProblem }
  const runs = createLocalRuns(parts)

  async function startNew(created: CreatedRun, choice: DriveChoice): Promise<Submitted> {
    await runs.start(created, choice, true)
    const { id, why } = created.place
    return { run: await host.journal.findRun(id), isNew: true, ...defined({ why }) }
  }

  return {
    async submit(request, _key, scheduled) {
      const { createRun } = await import('../../launch/start/create-run.ts')
      return startNew(await createRun(parts, request, undefined, scheduled), driveChoice(request))
    },
    async fork(run, request) {
      const { createFork } = await import('../../launch/start/create-fork.ts')
      const created = await createFork(parts, run, request)
      return startNew(created, { ...driveChoice(request), carry: true })
    },
    async retry(run, request = {}) {
      const { createFork, toFork } = await import('../../launch/start/create-fork.ts')
      const choice = await toFork(parts, run, request)
      const created = await createFork(parts, run, choice)
      return startNew(created, { ...driveChoice(choice), carry: true })
    },
    async enqueue(run, how = {}) {
      await runs.start(await loadAgain(parts, run, how), how, false)
    },
    async release(run) {
      runs.find(run)?.shutDown()
      await runs.find(run)?.done.catch(() => undefined)
    },
    isDriven: ({ id }) => runs.find(id) !== undefined,
    queue: () => storedQueue(host),
    entry: () => undefined,
    drain: runs.drain,
    driven: runs.find,
  }
}

interface Asked {
  readonly attended?: boolean
  readonly skipPreflight?: boolean
  readonly keepFiles?: boolean
}

const driveChoice = ({ attended, skipPreflight, keepFiles }: Asked): DriveChoice =>
  defined({ attended, skipPreflight, keepFiles })

/** The queue as it is on disk. In which order the runs start is up to the daemon. */
async function storedQueue({ journal }: Host): Promise<readonly QueueEntry[]> {
  const all = await journal.queue.list()
  const rows = all.filter(({ status }) => !isEnd(status) && status !== 'paused')
  return Promise.all(
    rows.map(async ({ run, name, workspace, priority, queuedAtMs, retryAtMs }) => ({
      run,
      name,
      ...((await journal.findRun(run)).held
        ? { state: 'driven' as const }
        : { state: 'queued' as const, why: 'waiting for a daemon: loopctl daemon start' }),
      priority,
      queuedAtMs,
      ...defined({ workspace, retryAtMs }),
    })),
  )
}
