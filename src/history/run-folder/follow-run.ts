/**
 * Keeps the files of a run in step with its record, beside the run and never in its way: nothing waits for
 * them, and what goes wrong with them is told and made up for later.
 */

import type { RunRow } from '../../engine/index.ts'
import { isEnd, isLoopError, textOf } from '../../loop/index.ts'
import { type FolderPlace, settlePlaces } from './folder-place.ts'
import { createFolderWriter, type FolderWriter } from './folder-writer.ts'
import { createLastLook } from './last-look.ts'
import type { FolderHost, RunFolderFollower, RunFolderOptions } from './options.ts'
import { watchRun } from './watch-run.ts'

/** Files are for people: they need not be newer than this. */
const pauseMs = 500
/** After something went wrong, as with a disk that is full. */
const retryMs = 15_000
const turnsMax = 4

/** Keeps the folder of a run up to date while the run is driven. */
export function followRun(
  host: FolderHost,
  idOrName: string,
  options: RunFolderOptions = {},
): RunFolderFollower {
  const stop = new AbortController()
  const told = createTelling(options.onProblem)
  const done = follow(host, idOrName, options, stop.signal, told).catch((error: unknown) => {
    // A run that is taken out of the record has no files to be kept.
    if (!isLoopError(error, 'unknown-run')) told(textOf(error))
  })
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
  told: (problem: string) => void,
): Promise<void> {
  const run = await host.journal.findRun(idOrName)
  const places = await settlePlaces(host, run, options)
  const last = createLastLook(host, run)
  const [live = [], left = []] = byMoment(run, places).map((some) =>
    some.map((place) => createFolderWriter(host, run, place, last)),
  )
  const watch = await watchRun(host.journal, run)
  try {
    for (;;) {
      const isLast = signal.aborted
      watch.reset()
      const row = await host.journal.findRun(run.id)
      const { status } = row
      const isLeft = isLast || isEnd(status)
      const writers = isLeft ? [...live, ...left] : live
      const isBehind = await inTurn(() => update(writers, row, told))
      if (isLast || (isEnd(status) && !isBehind)) return
      await pause(pauseMs, signal)
      await watch.changed(signal, isBehind ? retryMs : undefined)
    }
  } finally {
    watch.close()
  }
}

/**
 * Those that are written while the run is at work, and those that are when it is left. In the folder that
 * an agent works in, what comes and goes beside its work is something that it sees.
 */
function byMoment(
  { workspace }: RunRow,
  places: readonly FolderPlace[],
): readonly (readonly FolderPlace[])[] {
  const isApart = ({ root }: FolderPlace): boolean => root !== workspace
  const apart = places.filter(isApart)
  // Whoever wants them only there wants to see them.
  if (apart.length === 0) return [places, []]
  return [apart, places.filter((place) => !isApart(place))]
}

/** Whether one of them has not got to the end. */
async function update(
  writers: readonly FolderWriter[],
  row: RunRow,
  told: (problem: string) => void,
): Promise<boolean> {
  let isBehind = false
  for (const writer of writers) {
    const { seq, problem } = await writer.update(row)
    if (problem !== undefined) told(problem)
    isBehind ||= seq < row.lastSeq || problem !== undefined
  }
  return isBehind
}

let busy = 0
const waiting: (() => void)[] = []

/** Runs have agents to talk to; their files take turns. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (busy >= turnsMax) await new Promise<void>((resolve) => waiting.push(resolve))
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

/** Each thing once: a disk that is full is full many times. */
function createTelling(onProblem: RunFolderOptions['onProblem']): (problem: string) => void {
  const said = new Set<string>()
  return (problem) => {
    if (said.has(problem) || said.size > 20) return
    said.add(problem)
    onProblem?.(problem)
  }
}
