/** New runs, resumed runs, forks. */

import { createRun, forkRun, type RunRow, readCreated, rewindRun } from '../engine/index.ts'
import { createOwner } from '../journal/index.ts'
import { isEnd, isLoopError, LoopError, type Source } from '../loop/index.ts'
import { carryOver } from './carry-over.ts'
import type { Driver, HostPorts } from './driver.ts'
import type { Host } from './host.ts'
import { requireEmpty, requireFolder, resolveWorkspace } from './places.ts'
import { requireKnownLimits } from './requests.ts'
import { createNamed } from './run-names.ts'

export function createStarts(
  base: HostPorts,
  driver: Driver,
  tell: Host['tell'],
): Pick<Host, 'start' | 'resume' | 'fork'> {
  const { journal, folder } = base
  return {
    async start(loop, options) {
      const { input } = options
      const limits = requireKnownLimits(options.limits)
      const workspace = resolveWorkspace(options.workspace, folder)
      requireFolder(workspace)
      const place = workspace === undefined ? {} : { workspace }
      const run = await createNamed(options.name, (named) =>
        createRun(loop, base, { ...named, ...sourceOf(options), input, limits, ...place }),
      )
      return driver.drive(run, loop, options, workspace).catch(async (error: unknown) => {
        // Nothing was done, and nobody was told of it: a name in the list would only puzzle.
        if (isLoopError(error, 'workspace-busy')) await journal.removeRun(run.id, { force: true })
        throw error
      })
    },
    async resume(idOrName, loop, options = {}) {
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      await requireNoReplay(base, run)
      const workspace = resolveWorkspace(options.workspace, folder) ?? run.workspace
      if (options.fromIteration !== undefined) {
        await rewindRun(run.id, options.fromIteration, base, createOwner())
      }
      if (run.status === 'paused') await tell(run.id, { type: 'resume' }, 'resume')
      return driver.drive(run, loop, options, workspace)
    },
    async fork(idOrName, loop, options) {
      const from = await journal.findRun(idOrName)
      const limits = requireKnownLimits(options.limits)
      const workspace = resolveWorkspace(options.workspace, folder)
      if (workspace === undefined && from.workspace !== undefined) throw needsWorkspace(from)
      requireEmpty(workspace, options.replaceFiles)
      const run = await createNamed(options.name, (named) =>
        forkRun(loop, base, {
          ...named,
          ...sourceOf(options),
          from: from.id,
          iteration: options.iteration,
          limits,
          ...(options.input === undefined ? {} : { input: options.input }),
          ...(workspace === undefined ? {} : { workspace }),
        }),
      )
      const { exclude: names = [], signal, onProblem } = options
      const carried = { from: from.workspace, to: workspace, names: ['.git', ...names], signal }
      for (const problem of await carryOver(base, carried)) onProblem?.(problem)
      return driver.drive(run, loop, options, workspace)
    },
  }
}

const sourceOf = ({ source }: { readonly source?: Source }): { readonly source?: Source } =>
  source === undefined ? {} : { source }

export function requireOpen(run: RunRow): void {
  if (!isEnd(run.status)) return
  throw new LoopError(
    'wrong-status',
    `Run "${run.name}" has ended (${run.status}) and stays as it is. ` +
      'Fork it to go on from one of its checkpoints.',
  )
}

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
