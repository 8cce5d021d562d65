/** New runs, resumed runs, forks. */

import {
  type CreateOptions,
  createRun,
  forkRun,
  type RunRow,
  readCreated,
  rewindRun,
  stateAt,
} from '../engine/index.ts'
import { createOwner } from '../journal/index.ts'
import { isLoopError, LoopError, type Source, type TreeId } from '../loop/index.ts'
import { withBegun } from './begun-files.ts'
import { carryOver } from './carry-over.ts'
import type { Driver, HostPorts } from './driver.ts'
import type { Host } from './host.ts'
import { isWithoutGit, requireEmpty, resolveWorkspace } from './places.ts'
import { requireKnownLimits, requireOpen } from './requests.ts'
import { requireSameHead } from './require-same-head.ts'
import { chooseName } from './run-names.ts'
import {
  inFolder,
  type PlaceForkOptions,
  placeAgain,
  placeFork,
  placeNew,
  type RunPlace,
} from './run-place.ts'
import { createTreeDoor } from './tree-door.ts'

export function createStarts(
  base: HostPorts,
  driver: Driver,
  tell: Host['tell'],
): Pick<Host, 'start' | 'resume' | 'fork' | 'place' | 'placeFork' | 'placeAgain'> {
  const { journal } = base
  return {
    ...createPlaces(base),
    async start(loop, options) {
      const { input } = options
      const limits = requireKnownLimits(options.limits)
      const place = options.place ?? (await placeNew(base, options))
      const repeat = options.again === true ? { repeat: base.clock.now() } : {}
      const settled = { ...placeOf(place), ...sourceOf(options), input, limits, ...repeat }
      return createIn(place, () => createRun(loop, base, settled)).then(() =>
        driver.drive(place, loop, options).catch(async (error: unknown) => {
          // Nothing was done, and nobody was told of it: a name in the list would only puzzle.
          if (isLoopError(error, 'workspace-busy')) {
            await journal.removeRun(place.id, { force: true })
            await place.leave()
          }
          throw error
        }),
      )
    },
    async resume(idOrName, loop, options = {}) {
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      await requireNoReplay(base, run)
      const place = await placeAgain(base, run, options.workspace)
      if (options.fromIteration === undefined && options.keepFiles !== true) {
        await requireSameHead(base, run, place)
      }
      if (options.fromIteration !== undefined) {
        await rewindRun(run.id, options.fromIteration, base, createOwner())
      }
      if (run.status === 'paused') await tell(run.id, { type: 'resume' }, 'resume')
      return driver.drive(place, loop, options)
    },
    async fork(idOrName, loop, options) {
      const from = await journal.findRun(idOrName)
      const limits = requireKnownLimits(options.limits)
      const place = options.place ?? (await placeForkOf(base, idOrName, options))
      const trees = await treesFor(base, from, options.iteration, place)
      await createIn(place, () =>
        forkRun(loop, base, {
          ...placeOf(place),
          ...sourceOf(options),
          from: from.id,
          iteration: options.iteration,
          limits,
          ...(options.input === undefined ? {} : { input: options.input }),
          ...trees,
        }),
      )
      const { exclude = [], signal, onProblem } = options
      // The `.git` of a worktree is for that one folder.
      const { worktree } = await readCreated(journal, from.id)
      const names = worktree === undefined ? ['.git', ...exclude] : exclude
      const carried = { from: from.workspace, to: place.workspace, names, signal }
      for (const problem of await carryOver(base, carried)) onProblem?.(problem)
      return driver.drive(place, loop, options)
    },
  }
}

const createPlaces = (base: HostPorts): Pick<Host, 'place' | 'placeFork' | 'placeAgain'> => ({
  place: (options = {}) => placeNew(base, options),
  async placeFork(idOrName, options) {
    const { id } = await base.journal.findRun(idOrName)
    return withBegun(base, await placeForkOf(base, id, options), id)
  },
  async placeAgain(idOrName, workspace) {
    const run = await base.journal.findRun(idOrName)
    requireOpen(run)
    return withBegun(base, await placeAgain(base, run, workspace), run.id)
  },
})

/** A place that nothing was begun in is left as it was. */
async function createIn(place: RunPlace, create: () => Promise<void>): Promise<void> {
  try {
    await create()
  } catch (error) {
    await place.leave()
    throw error
  }
}

const placeOf = ({ id, name, workspace, worktree }: RunPlace): Placed => ({
  id,
  name,
  ...(workspace === undefined ? {} : { workspace }),
  ...(worktree === undefined ? { withoutGit: isWithoutGit(workspace) } : { worktree }),
})

type Placed = Pick<CreateOptions, 'id' | 'name' | 'workspace' | 'worktree' | 'withoutGit'>

async function placeForkOf(
  base: HostPorts,
  idOrName: string,
  options: PlaceForkOptions,
): Promise<RunPlace> {
  const { journal, folder } = base
  const from = await journal.findRun(idOrName)
  const { worktree } = await readCreated(journal, from.id)
  const workspace = resolveWorkspace(options.workspace, folder)
  if (worktree !== undefined && workspace === undefined) {
    const { tree } = await stateAt(journal, from.id, options.iteration)
    return placeFork(base, options, { worktree, tree })
  }
  if (workspace === undefined && from.workspace !== undefined) throw needsWorkspace(from)
  requireEmpty(workspace, options.replaceFiles)
  return inFolder(await chooseName(journal, options.name), workspace)
}

/** In a plain folder, files of git are known by another name. */
async function treesFor(
  base: HostPorts,
  { id }: RunRow,
  iteration: number,
  { workspace, worktree }: RunPlace,
): Promise<{ readonly tree?: TreeId; readonly baseTree?: TreeId }> {
  if (workspace === undefined || worktree !== undefined) return {}
  const { tree, baseTree } = await stateAt(base.journal, id, iteration)
  const door = createTreeDoor(base)
  return {
    ...(tree === undefined ? {} : { tree: await door.asBlobs(tree) }),
    ...(baseTree === undefined ? {} : { baseTree: await door.asBlobs(baseTree) }),
  }
}

const sourceOf = ({ source }: { readonly source?: Source }): { readonly source?: Source } =>
  source === undefined ? {} : { source }

/** With parts like any other it would ask models. */
async function requireNoReplay({ journal }: HostPorts, { id, name }: RunRow): Promise<void> {
  const { origin } = await readCreated(journal, id)
  if (origin?.type !== 'replay') return
  throw new LoopError(
    'wrong-status',
    `Run "${name}" is a replay. Go on with it by replay (in code: host.replay(run, { resume: true })).`,
  )
}

const needsWorkspace = (from: RunRow): LoopError =>
  new LoopError(
    'bad-request',
    `Run "${from.name}" works in ${from.workspace}. Give the fork a workspace of its own.`,
  )
