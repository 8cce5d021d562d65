/** A loop file for one run in the foreground: loaded, opened, followed to its end, and closed. */

import type { Host } from '../../host/host.ts'
import type { OpenPlace } from '../../launch/launch-place.ts'
import type { LoadedLoop, OpenedLoop } from '../../launch/loaded-loop.ts'
import { isLoopError } from '../../loop/index.ts'
import { visible } from '../display/render.ts'
import { interruptedExitCode } from '../exit-codes.ts'
import type { AttendedOption, LoadOptions } from '../run-options.ts'
import type { Session } from '../session.ts'
import { type LoadManner, loadTrusted } from '../trust.ts'
import { createForeground, type FollowedRun } from './foreground.ts'
import { outputFiles } from './output-files.ts'
import type { From } from './show-run.ts'

export interface Started extends From {
  readonly handle: FollowedRun
}

export interface Watched {
  readonly signal: AbortSignal
  /** Tells the person who watches. */
  readonly onProblem: (problem: string) => void
}

/** Opens what the run needs, starts it, and follows it to its end. */
export type Drive = (
  place: Pick<
    OpenPlace,
    'workspace' | 'checkout' | 'begun' | 'readOnly' | 'replay' | 'apart' | 'shownAs'
  >,
  start: (opened: OpenedLoop, watched: Watched) => Promise<Started>,
) => Promise<void>

export type LoopOptions = LoadOptions & AttendedOption & Omit<LoadManner, 'watched'>

/** Loads a loop file for one run, and ends whatever it opened. */
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
  let loaded: LoadedLoop | undefined
  try {
    const manner = { purpose, watched: foreground, changes, defaultModel, moreChecks }
    loaded = await loadTrusted(session, folder, file, options, manner)
    const { open } = loaded
    await work(loaded, async (place, start) => {
      const { signal } = foreground
      const opened = await open({
        ...place,
        folder,
        signal,
        apart: [...outputFiles(), ...(place.apart ?? [])],
        attended: session.terminal.asks || options.attended === true,
        models: host.models,
      })
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
    })
  } catch (error) {
    // Interrupted before there was a run: there is none.
    if (!foreground.signal.aborted || isLoopError(error)) throw error
    process.exitCode = interruptedExitCode
  } finally {
    foreground.close()
    await loaded?.close()
  }
}
