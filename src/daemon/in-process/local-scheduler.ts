/**
 * Drives what is asked for in this process, at once. There is no queue: the one on disk belongs to the
 * daemon, and is only shown.
 */

import type { DriveEnd } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import type { CreatedRun } from '../../launch/start/create-run.ts'
import type { DriveChoice } from '../../launch/start/drive-run.ts'
import type { StartParts } from '../../launch/start/start-host.ts'
import { defined, isEnd, type RunId } from '../../loop/index.ts'
import type { QueueEntry } from '../../protocol/api/index.ts'
import type { EnqueueOptions, RunStarter, Submitted } from '../parts.ts'

/** A run that this process drives. */
export interface LocalRun {
  /** Resolves when it is no longer driven here. */
  readonly done: Promise<DriveEnd>
  /** Lets the step in flight finish within its grace time; with `now`, not even that. */
  shutDown(options?: { readonly now?: boolean }): void
}

export interface LocalStart extends Pick<StartParts, 'apart' | 'onLine'> {
  readonly onProblem: (problem: string) => void
  /** Aborting it shuts down what is driven, and gives up what is being started. */
  readonly signal: AbortSignal
}

export interface LocalScheduler extends RunStarter {
  driven(run: string): LocalRun | undefined
}

export function createLocalScheduler(host: Host, options: LocalStart): LocalScheduler {
  const { journal } = host
  const { signal } = options
  const driven = new Map<string, LocalRun>()
  const parts = { ...options, host, onProblem: (problem: string) => options.onProblem(problem) }

  async function start(
    { place, loaded }: CreatedRun,
    choice: DriveChoice,
    isNew: boolean,
  ): Promise<void> {
    const { discardNew, driveRun } = await import('../../launch/start/drive-run.ts')
    try {
      const models = host.models
      const handle = await driveRun({ ...parts, models }, { place, loaded, isNew }, choice)
      const { followRun } = await import('../../history/run-folder/follow-run.ts')
      const files = followRun(host, place.id, { onProblem: parts.onProblem })
      const done = handle.done.finally(async () => {
        await files.stop()
        await loaded.close()
      })
      done.catch(() => undefined)
      driven.set(place.id, { done, shutDown: handle.shutDown })
    } catch (error) {
      await loaded.close()
      if (isNew) await discardNew(host, place)
      throw error
    }
  }

  async function startNew(created: CreatedRun, choice: DriveChoice): Promise<Submitted> {
    await start(created, choice, true)
    const { id, why } = created.place
    return { run: await journal.findRun(id), isNew: true, ...defined({ why }) }
  }

  return {
    async submit(request) {
      const { createRun } = await import('../../launch/start/create-run.ts')
      return startNew(await createRun(parts, request), driveChoice(request))
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
      await start(await loadAgain(parts, run, how), { ...how }, false)
    },
    async release(run) {
      driven.get(run)?.shutDown()
      await driven.get(run)?.done.catch(() => undefined)
    },
    isDriven: ({ id }) => driven.has(id),
    queue: () => storedQueue(host),
    entry: () => undefined,
    async drain(hurry) {
      const open = [...driven.values()]
      for (const run of open) run.shutDown({ now: hurry?.aborted === true })
      await Promise.allSettled(open.map(({ done }) => done))
    },
    driven: (run) => driven.get(run),
  }

  /** A run that is on disk, with its loop. */
  async function loadAgain(
    { onLine }: StartParts,
    run: RunId,
    { file, workspace }: EnqueueOptions,
  ): Promise<CreatedRun> {
    const [{ inspectRun }, { fileOf }, { loadLoop }] = await Promise.all([
      import('../../history/inspect-run.ts'),
      import('../../launch/start/file-of.ts'),
      import('../../launch/load-loop.ts'),
    ])
    const found = await inspectRun(journal, run)
    const changes = found.state.source?.changes
    const loaded = await loadLoop(fileOf(found, file), {
      folder: host.folder,
      purpose: 'resume',
      onLine,
      signal,
      ...defined({ changes }),
    })
    try {
      return { loaded, place: await host.placeAgain(run, workspace) }
    } catch (error) {
      await loaded.close()
      throw error
    }
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
        : { state: 'queued' as const, why: 'waits for a daemon: loopctl daemon start' }),
      priority,
      queuedAtMs,
      ...defined({ workspace, retryAtMs }),
    })),
  )
}
