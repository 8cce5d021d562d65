/** Starts, resumes and forks runs. */

import { type RunRow, readCreated, rewindRun } from '../engine/index.ts'
import { isLoopError, LoopError } from '../loop/index.ts'
import { createOwnerId } from '../system/index.ts'
import { withBaseFiles } from './base-files.ts'
import { carryOver } from './carry-over.ts'
import { createCreation, placeForkOf } from './create-runs.ts'
import type { Driver } from './driver.ts'
import type { HostPorts } from './host-ports.ts'
import { placeAgain, placeNew } from './place-run.ts'
import { requireOpen } from './requests.ts'
import { requireSameHead } from './require-same-head.ts'
import type { Runs } from './runs.ts'

type Created = 'create' | 'createFork' | 'carryOver' | 'rewind'
type Driven = 'drive' | 'start' | 'resume' | 'fork'

export function createStarts(
  base: HostPorts,
  driver: Driver,
  sendDecision: Runs['sendDecision'],
): Pick<Runs, Created | Driven | 'place' | 'placeFork' | 'placeAgain'> {
  const { journal } = base
  const creation = createCreation(base)
  const continuation = createContinuation(base)
  const drive: Runs['drive'] = (place, loop, parts) =>
    driver.drive(place, loop, parts).catch(async (error: unknown) => {
      // It did nothing, so it is removed from the list.
      if (isLoopError(error, 'workspace-busy')) {
        await journal.removeRun(place.id, { force: true })
        await place.leave()
      }
      throw error
    })
  return {
    ...createPlaces(base),
    ...creation,
    ...continuation,
    drive,
    start: async (loop, options) => drive(await creation.create(loop, options), loop, options),
    async resume(idOrName, loop, options = {}) {
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      await requireNoReplay(base, run)
      const place = options.place ?? (await placeAgain(base, run, options.workspace))
      if (options.fromIteration === undefined && options.keepFiles !== true) {
        await requireSameHead(base, run, place)
      }
      if (options.fromIteration !== undefined)
        await continuation.rewind(run.id, options.fromIteration)
      if (run.status === 'paused') await sendDecision(run.id, { type: 'resume' }, 'resume')
      return driver.drive(place, loop, options)
    },
    async fork(idOrName, loop, options) {
      const place = await creation.createFork(idOrName, loop, options)
      const { exclude = [], signal, onProblem } = options
      for (const problem of await continuation.carryOver(place.id, exclude, signal))
        onProblem?.(problem)
      return driver.drive(place, loop, options)
    },
  }
}

function createContinuation(base: HostPorts): Pick<Runs, 'carryOver' | 'rewind'> {
  const { journal } = base
  return {
    async carryOver(idOrName, exclude, signal) {
      const { id, workspace } = await journal.findRun(idOrName)
      const { origin } = await readCreated(journal, id)
      if (origin?.type !== 'fork') return []
      const from = await journal.findRun(origin.run)
      // The `.git` file of a worktree is valid only in that folder.
      const { worktree } = await readCreated(journal, from.id)
      const names = worktree === undefined ? ['.git', ...exclude] : exclude
      return carryOver(base, { from: from.workspace, to: workspace, names, signal })
    },
    async rewind(idOrName, iteration) {
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      await requireNoReplay(base, run)
      await rewindRun(run.id, iteration, base, createOwnerId())
    },
  }
}

const createPlaces = (base: HostPorts): Pick<Runs, 'place' | 'placeFork' | 'placeAgain'> => ({
  place: (options = {}) => placeNew(base, options),
  async placeFork(idOrName, options) {
    const { id } = await base.journal.findRun(idOrName)
    return withBaseFiles(base, await placeForkOf(base, id, options), id)
  },
  async placeAgain(idOrName, workspace) {
    const run = await base.journal.findRun(idOrName)
    requireOpen(run)
    return withBaseFiles(base, await placeAgain(base, run, workspace), run.id)
  },
})

/** Resuming a replay with the parts of a normal run would call models. */
async function requireNoReplay({ journal }: HostPorts, { id, name }: RunRow): Promise<void> {
  const { origin } = await readCreated(journal, id)
  if (origin?.type !== 'replay') return
  throw new LoopError(
    'wrong-status',
    `Run "${name}" is a replay. Resume it as a replay (in code: host.replay(run, { resume: true })).`,
  )
}
