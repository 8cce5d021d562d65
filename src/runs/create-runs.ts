/** Creates runs on disk, without driving them yet (E10). */

import {
  type CreateOptions,
  type CreatePorts,
  createRun,
  forkRun,
  type RunRow,
  readCreated,
  stateAt,
} from '../engine/index.ts'
import { defined, LoopError, type Source, type TreeId } from '../loop/index.ts'
import { isWithoutGit, requireEmptyFolder, resolveWorkspace } from '../system/index.ts'
import { createTreeStore } from '../workspace/tree-store.ts'
import type { HostPorts } from './host-ports.ts'
import type { Queued } from './options.ts'
import { inFolder, placeFork, placeNew } from './place-run.ts'
import { requireKnownLimits } from './requests.ts'
import { chooseName } from './run-names.ts'
import { type PlaceForkOptions, type RunPlace } from './run-place.ts'
import type { Runs } from './runs.ts'

export function createCreation(base: HostPorts): Pick<Runs, 'create' | 'createFork'> {
  const { journal } = base
  return {
    async create(loop, options) {
      const { input, outside, schedule } = options
      const limits = requireKnownLimits(options.limits)
      const place = options.place ?? (await placeNew(base, options))
      const repeat = options.again === true ? { repeat: base.clock.now() } : {}
      const settled = {
        ...placeOf(place),
        ...sourceOf(options),
        input,
        limits,
        ...repeat,
        ...defined({ outside, schedule }),
      }
      await createIn(place, () => createRun(loop, portsFor(base, options.queue), settled))
      return place
    },
    async createFork(idOrName, loop, options) {
      const from = await journal.findRun(idOrName)
      const limits = requireKnownLimits(options.limits)
      const place = options.place ?? (await placeForkOf(base, idOrName, options))
      const trees = await treesFor(base, from, options.iteration, place)
      await createIn(place, () =>
        forkRun(loop, portsFor(base, options.queue), {
          ...placeOf(place),
          ...sourceOf(options),
          from: from.id,
          iteration: options.iteration,
          limits,
          ...(options.again === true ? { repeat: base.clock.now() } : {}),
          ...defined({ input: options.input }),
          ...trees,
        }),
      )
      return place
    },
  }
}

function portsFor(base: HostPorts, queued: Queued | undefined): CreatePorts {
  if (queued === undefined) return base
  const { queue } = base.journal
  const journal = {
    ...base.journal,
    createRun: (run: Parameters<typeof queue.create>[0]) =>
      queue.create(run, queued.row, queued.request),
  }
  return { ...base, journal }
}

/** If the run cannot be created, removes the worktree that was made for it. */
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
  ...defined({ workspace }),
  ...(worktree === undefined ? { withoutGit: isWithoutGit(workspace) } : { worktree }),
})

type Placed = Pick<CreateOptions, 'id' | 'name' | 'workspace' | 'worktree' | 'withoutGit'>

export async function placeForkOf(
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
  requireEmptyFolder(workspace, options.replaceFiles)
  return inFolder(await chooseName(journal, options.name), workspace)
}

/** A plain folder has tree ids of blobs, not of git. */
async function treesFor(
  base: HostPorts,
  { id }: RunRow,
  iteration: number,
  { workspace, worktree }: RunPlace,
): Promise<{ readonly tree?: TreeId; readonly baseTree?: TreeId }> {
  if (workspace === undefined || worktree !== undefined) return {}
  const { tree, baseTree } = await stateAt(base.journal, id, iteration)
  const trees = createTreeStore(base)
  return {
    ...(tree === undefined ? {} : { tree: await trees.asBlobs(tree) }),
    ...(baseTree === undefined ? {} : { baseTree: await trees.asBlobs(baseTree) }),
  }
}

const sourceOf = ({ source }: { readonly source?: Source }): { readonly source?: Source } =>
  defined({ source })

const needsWorkspace = (from: RunRow): LoopError =>
  new LoopError(
    'bad-request',
    `Run "${from.name}" works in ${from.workspace}. Pass another workspace for the fork.`,
  )
