/** Loads a loop file for one run in the foreground, follows the run to its end, and closes the loop. */

import type { Host } from '../../host/host.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import type { OpenContext } from '../../launch/open-context.ts'
import type { OpenedLoop } from '../../launch/open-loop.ts'
import { defined, isLoopError } from '../../loop/index.ts'
import { visible } from '../display/render.ts'
import { interruptedExitCode } from '../exit-codes.ts'
import type { AttendedOption, LoadOptions } from '../run-options.ts'
import type { Session } from '../session.ts'
import { type LoadManner, loadTrusted } from '../trust.ts'
import { createForeground, type FollowedRun, type Foreground } from './foreground.ts'
import { outputFiles } from './output-files.ts'
import type { From } from './show-run.ts'

export interface Started extends From {
  readonly handle: FollowedRun
}

export interface Watched {
  readonly signal: AbortSignal
  /** Prints a message for the user. */
  readonly onProblem: (problem: string) => void
}

/** Opens what the run needs, starts it, and follows it to its end. */
export type Drive = (
  place: Pick<
    OpenContext,
    'workspace' | 'checkout' | 'baseFiles' | 'readOnly' | 'replay' | 'excludedPaths' | 'sandboxPath'
  >,
  start: (opened: OpenedLoop, watched: Watched) => Promise<Started>,
) => Promise<void>

export type LoopOptions = LoadOptions & AttendedOption & Omit<LoadManner, 'watched'>

/** Loads a loop file for one run, and closes what it opened. */
export async function withLoop(
  session: Session,
  host: Host,
  file: string,
  options: LoopOptions,
  work: (loaded: LoadedLoop, drive: Drive) => Promise<void>,
): Promise<void> {
  const { folder } = host
  const { purpose = 'run', changes, defaultModel, moreChecks } = options
  const foreground = createForeground(session)
  try {
    const manner = { purpose, watched: foreground, changes, defaultModel, moreChecks }
    const loaded = await loadTrusted(session, folder, file, options, manner)
    const { openLoop } = await import('../../launch/open-loop.ts')
    await work(loaded, async (place, start) => {
      const { signal } = foreground
      const opened = await openLoop(loaded, {
        ...place,
        folder,
        signal,
        excludedPaths: [...outputFiles(), ...(place.excludedPaths ?? [])],
        attended: session.terminal.asks || options.attended === true,
        models: host.models,
        onLine: foreground.say,
        ...defined({ types: host.loopTypes }),
      })
      try {
        await startAndFollow(host, foreground, opened, start)
      } finally {
        await opened.close()
      }
    })
  } catch (error) {
    // Ctrl-C before there is a run means that no run is wanted.
    if (!foreground.signal.aborted || isLoopError(error)) throw error
    process.exitCode = interruptedExitCode
  } finally {
    foreground.close()
  }
}

async function startAndFollow(
  host: Host,
  foreground: Foreground,
  opened: OpenedLoop,
  start: Parameters<Drive>[1],
): Promise<void> {
  const { signal } = foreground
  const onProblem = (problem: string): void => foreground.say(`warning: ${visible(problem)}`)
  for (const problem of opened.problems) onProblem(problem)
  signal.throwIfAborted()
  const { handle, ...from } = await start(opened, { signal, onProblem })
  const { followRun } = await import('../../history/run-folder/index.ts')
  const files = followRun(host, handle.id, { onProblem })
  try {
    await foreground.follow(host, handle, from)
  } finally {
    await files.stop()
  }
}
