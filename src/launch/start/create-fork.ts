/**
 * Creates runs that continue from another run: forks and retries (ADR 0048).
 *
 * A retry starts from the last checkpoint, with the same limits as the first try, and works where that one
 * worked: in a separate worktree on the files of the checkpoint, or in the folder itself with the files as
 * they are now.
 */

import { rmdir } from 'node:fs/promises'
import { inspectRun } from '../../history/inspect-run.ts'
import { defined, isEnd, isLoopError, LoopError, type RunId } from '../../loop/index.ts'
import type { ForkRequest, RetryRequest } from '../../protocol/api/index.ts'
import { forkFolder } from '../../runs/fork-folder.ts'
import type { Queued } from '../../runs/options.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import { ensureWorkspaceFolder } from '../../system/index.ts'
import { completeInput } from '../complete-input.ts'
import { loadLoop } from '../load-loop.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { runEnvironment } from '../run-environment.ts'
import { toLoopType } from '../to-loop-type.ts'
import { type CreatedRun, dropLine } from './create-run.ts'
import { findLoopFile } from './find-loop-file.ts'
import type { StartParts } from './start-host.ts'

export interface ForkChoice extends ForkRequest {
  /** E8. The user wants this attempt to be made again. */
  readonly isAgain?: boolean
  readonly keepFiles?: boolean
}

/** What a retry is as a fork. */
export async function toFork(
  { host }: Pick<StartParts, 'host'>,
  run: RunId,
  request: RetryRequest,
): Promise<ForkChoice> {
  const from = await inspectRun(host.journal, run)
  const { status, name } = from.run
  if (!isEnd(status)) {
    const message = `Run "${name}" has not ended (${status}). Resume it: loopctl resume ${name}`
    throw new LoopError('wrong-status', message)
  }
  if (status === 'completed') {
    const message = `Run "${name}" completed: there is nothing to retry.`
    throw new LoopError('wrong-status', `${message} To continue from it: loopctl fork ${name}`)
  }
  const iteration = request.from ?? from.run.iteration
  const { limits, worktree } = from.state
  const first = from.checkpoints[0]?.iteration ?? from.run.iteration + 1
  const allowed = Math.max(1, limits.iterations - Math.max(0, first - 1))
  const isInPlace = worktree === undefined && from.run.workspace !== undefined
  return {
    ...request,
    iteration,
    name: request.name ?? (await derivedName(host.journal, name)),
    limits: { iterations: iteration + allowed },
    isAgain: true,
    ...(isInPlace ? { workspace: from.run.workspace, replaceFiles: true, keepFiles: true } : {}),
  }
}

export async function createFork(
  { host, onProblem, signal, reads }: StartParts,
  run: RunId,
  request: ForkChoice,
  toQueue?: (place: RunPlace) => Queued,
): Promise<CreatedRun> {
  const from = await inspectRun(host.journal, run)
  const { iteration, name, input, replaceFiles } = request
  const file = findLoopFile(from, request.file)
  const inherited = request.file === undefined ? from.state.source?.changes : undefined
  const environment = runEnvironment(request.environment)
  const options = {
    folder: host.folder,
    environment,
    changes: { ...inherited, ...request.changes },
    onLine: dropLine,
    ...defined({ input, signal, trust: request.trust, types: host.loopTypes }),
  }
  const loaded = await loadLoop(file, options, reads)
  const workspace = request.workspace ?? forkFolder(from, iteration)
  const isCreated = workspace !== undefined && ensureWorkspaceFolder(workspace)
  const placed = await host.placeFork(run, {
    iteration,
    worktree: loaded.worktree,
    ...defined({ workspace, name, replaceFiles }),
  })
  const place = isCreated ? removingFolder(placed, workspace) : placed
  for (const problem of place.problems) onProblem(problem, place.id)
  const queue = toQueue?.(place)
  await host.createFork(run, await toLoopType(loaded, host.loopTypes), {
    iteration,
    place,
    source: loaded.source,
    ...(request.isAgain === true ? { again: true } : {}),
    ...defined({ limits: request.limits, queue }),
    ...(input === undefined
      ? {}
      : { input: await completedInput(host, loaded, from.run.workspace) }),
  })
  return { place, loaded, environment }
}

/** Its files are read in the folder of the run that it starts from. */
const completedInput = async (
  { loopTypes }: StartParts['host'],
  loaded: LoadedLoop,
  workspace: string | undefined,
): Promise<LoadedLoop['input']> =>
  workspace === undefined
    ? loaded.input
    : (await completeInput(loaded, workspace, loopTypes)).loaded.input

/** A fork that cannot start leaves no empty folder behind. */
const removingFolder = (place: RunPlace, folder: string): RunPlace => ({
  ...place,
  async leave() {
    await place.leave()
    await rmdir(folder).catch(() => undefined)
  },
})

const nameCharsMax = 64

/** `brave-owls-jump`, `brave-owls-jump-2`, `brave-owls-jump-3`. */
async function derivedName(journal: StartParts['host']['journal'], name: string): Promise<string> {
  const [, stem = name] = /^(.+?)(?:-\d{1,6})?$/.exec(name) ?? []
  for (let number = 2; ; number++) {
    const ending = `-${number}`
    const derived = `${stem.slice(0, nameCharsMax - ending.length)}${ending}`
    const taken = await journal.findRun(derived).then(
      (found) => found.name === derived,
      (error: unknown) => {
        if (isLoopError(error, 'unknown-run') || isLoopError(error, 'ambiguous-run')) return false
        throw error
      },
    )
    if (!taken) return derived
  }
}
