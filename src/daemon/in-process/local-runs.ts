/** The runs that this process drives without a daemon. */

import type { DriveEnd } from '../../engine/index.ts'
import type { Host } from '../../host/host.ts'
import type { CreatedRun } from '../../launch/start/create-run.ts'
import type { DriveChoice } from '../../launch/start/drive-run.ts'
import type { StartParts } from '../../launch/start/start-host.ts'
import { defined, type RunId } from '../../loop/index.ts'
import type { EnqueueOptions } from '../parts.ts'

/** A run that this process drives. */
export interface LocalRun {
  /** Resolves when it is no longer driven here. */
  readonly done: Promise<DriveEnd>
  /** Lets the current step finish within its grace time; with `now`, does not wait. */
  shutDown(options?: { readonly now?: boolean }): void
}

export interface LocalParts extends StartParts {
  readonly host: Host
  /** Aborting it suspends the runs driven here, and cancels those being started. */
  readonly signal: AbortSignal
}

export interface LocalRuns {
  find(run: string): LocalRun | undefined
  /** Resolves when the run has started. A new run that cannot start is removed again. */
  start(run: CreatedRun, choice: DriveChoice, isNew: boolean): Promise<void>
  drain(hurry?: AbortSignal): Promise<void>
}

export function createLocalRuns(parts: LocalParts): LocalRuns {
  const { host } = parts
  const driven = new Map<string, LocalRun>()
  return {
    find: (run) => driven.get(run),
    async start(created, choice, isNew) {
      const { place } = created
      const { discardNew, driveRun } = await import('../../launch/start/drive-run.ts')
      try {
        const { models } = host
        const handle = await driveRun({ ...parts, models }, { ...created, isNew }, choice)
        const { followRun } = await import('../../history/run-folder/follow-run.ts')
        const onProblem = (problem: string): void => parts.onProblem(problem, place.id)
        const files = followRun(host, place.id, { onProblem })
        const done = handle.done.finally(() => files.stop())
        // The command that follows the run gets the error.
        done.catch(() => undefined)
        driven.set(place.id, { done, shutDown: handle.shutDown })
      } catch (error) {
        if (isNew) await discardNew(host, place)
        throw error
      }
    },
    async drain(hurry) {
      const open = [...driven.values()]
      const hurryAll = (): void => {
        for (const run of open) run.shutDown({ now: true })
      }
      for (const run of open) run.shutDown()
      if (hurry?.aborted === true) hurryAll()
      hurry?.addEventListener('abort', hurryAll, { once: true })
      await Promise.allSettled(open.map(({ done }) => done))
    },
  }
}

/** A run that is on disk, with its loop and its folder. */
export async function loadAgain(
  { host, signal, reads }: LocalParts,
  run: RunId,
  { file, workspace }: EnqueueOptions,
): Promise<CreatedRun> {
  const [{ inspectRun }, { findLoopFile }, { loadLoop }] = await Promise.all([
    import('../../history/inspect-run.ts'),
    import('../../launch/start/find-loop-file.ts'),
    import('../../launch/load-loop.ts'),
  ])
  const found = await inspectRun(host.journal, run)
  const changes = found.state.source?.changes
  const options = {
    folder: host.folder,
    purpose: 'resume' as const,
    onLine: () => undefined,
    signal,
    ...defined({ changes, types: host.loopTypes }),
  }
  const loaded = await loadLoop(findLoopFile(found, file), options, reads)
  const place = await host.placeAgain(run, workspace)
  return { loaded, place, environment: process.env }
}
