/**
 * Keeps the files of a run up to date with the journal, in the background: the run never waits for them, and
 * problems are reported and fixed later.
 */

import type { RunRow } from '../../engine/index.ts'
import { isEnd, isLoopError, textOf } from '../../loop/index.ts'
import { createFinalReport } from './final-report.ts'
import { createFolderWriter, type FolderWriter } from './folder-writer.ts'
import type { FolderHost, RunFolderFollower, RunFolderOptions } from './options.ts'
import { chooseRunFolderLocations, type RunFolderLocation } from './run-folder-location.ts'
import { watchRun } from './watch-run.ts'

/** Files are for people, so a short delay is fine. */
const pauseMs = 500
/** After a problem, such as a full disk. */
const retryMs = 15_000
const concurrentMax = 4

/** Keeps the folder of a run up to date while the run is driven. */
export function followRun(
  host: FolderHost,
  idOrName: string,
  options: RunFolderOptions = {},
): RunFolderFollower {
  const stop = new AbortController()
  const reportProblem = createProblemReporter(options.onProblem)
  const done = follow(host, idOrName, options, stop.signal, reportProblem).catch(
    (error: unknown) => {
      // A removed run needs no files.
      if (!isLoopError(error, 'unknown-run')) reportProblem(textOf(error))
    },
  )
  return {
    done,
    async stop() {
      stop.abort()
      await done
    },
  }
}

async function follow(
  host: FolderHost,
  idOrName: string,
  options: RunFolderOptions,
  signal: AbortSignal,
  reportProblem: (problem: string) => void,
): Promise<void> {
  const run = await host.journal.findRun(idOrName)
  const places = await chooseRunFolderLocations(host, run, options)
  const last = createFinalReport(host, run)
  const [live = [], deferred = []] = splitByTime(run, places).map((some) =>
    some.map((place) => createFolderWriter(host, run, place, last)),
  )
  const watch = await watchRun(host.journal, run)
  try {
    for (;;) {
      const isLast = signal.aborted
      watch.reset()
      const row = await host.journal.findRun(run.id)
      const { status } = row
      const isIdle = isLast || isEnd(status)
      const writers = isIdle ? [...live, ...deferred] : live
      const isBehind = await withLimit(() => update(writers, row, reportProblem))
      if (isLast || (isEnd(status) && !isBehind)) return
      await pause(pauseMs, signal)
      await watch.changed(signal, isBehind ? retryMs : undefined)
    }
  } finally {
    watch.close()
  }
}

/**
 * Splits places into those that are updated during the run and those that are updated afterwards. An agent
 * would see changes in the folder that it works in.
 */
function splitByTime(
  { workspace }: RunRow,
  places: readonly RunFolderLocation[],
): readonly (readonly RunFolderLocation[])[] {
  const isSeparate = ({ root }: RunFolderLocation): boolean => root !== workspace
  const separate = places.filter(isSeparate)
  // If that is the only place, the user wants to see updates there.
  if (separate.length === 0) return [places, []]
  return [separate, places.filter((place) => !isSeparate(place))]
}

/** Returns whether one of them is behind. */
async function update(
  writers: readonly FolderWriter[],
  row: RunRow,
  reportProblem: (problem: string) => void,
): Promise<boolean> {
  let isBehind = false
  for (const writer of writers) {
    const { seq, problem } = await writer.update(row)
    if (problem !== undefined) reportProblem(problem)
    isBehind ||= seq < row.lastSeq || problem !== undefined
  }
  return isBehind
}

let busy = 0
const waiting: (() => void)[] = []

/** Limits how many folders are written at the same time. */
async function withLimit<T>(work: () => Promise<T>): Promise<T> {
  if (busy >= concurrentMax) await new Promise<void>((resolve) => waiting.push(resolve))
  busy += 1
  try {
    return await work()
  } finally {
    busy -= 1
    waiting.shift()?.()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Reports each problem once: a full disk would be reported many times. */
function createProblemReporter(
  onProblem: RunFolderOptions['onProblem'],
): (problem: string) => void {
  const reported = new Set<string>()
  return (problem) => {
    if (reported.has(problem) || reported.size > 20) return
    reported.add(problem)
    onProblem?.(problem)
  }
}
