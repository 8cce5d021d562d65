/**
 * Runs that come from other runs: forks, and what is tried again (ADR 0048).
 *
 * A retry goes on from the last checkpoint with what the run had learnt by then, is allowed as much as
 * that one was, and works where it worked: in a worktree of its own on the files of the checkpoint, or in
 * the folder itself with the files as they are now.
 */

import { loadLoop } from '../../launch/load-loop.ts'
import { runEnvironment } from '../../launch/run-environment.ts'
import { defined, isEnd, isLoopError, LoopError, type RunId } from '../../loop/index.ts'
import type { ForkRequest, RetryRequest } from '../../protocol/api/index.ts'
import { forkFolder } from '../../runs/fork-folder.ts'
import { makeWorkFolder } from '../../system/index.ts'
import { fileOf } from './drive-queued.ts'
import { type NewRunParts, queueRow, trustAsAsked } from './new-run.ts'

export function forkQueued(parts: NewRunParts, run: RunId, request: ForkRequest): Promise<RunId> {
  return createFrom(parts, run, request)
}

export async function retryQueued(
  parts: NewRunParts,
  run: RunId,
  request: RetryRequest,
): Promise<RunId> {
  const { journal } = parts.host
  const from = await parts.host.inspect(run)
  const { status, name } = from.run
  if (!isEnd(status)) {
    const message = `Run "${name}" has not ended (${status}). Go on with it: loopctl resume ${name}`
    throw new LoopError('wrong-status', message)
  }
  if (status === 'completed') {
    const message = `Run "${name}" completed: there is nothing to try again.`
    throw new LoopError('wrong-status', `${message} Go on from it: loopctl fork ${name}`)
  }
  const iteration = request.from ?? from.run.iteration
  const { limits, worktree } = from.state
  const first = from.checkpoints[0]?.iteration ?? from.run.iteration + 1
  const allowed = Math.max(1, limits.iterations - Math.max(0, first - 1))
  const isInPlace = worktree === undefined && from.run.workspace !== undefined
  return createFrom(parts, run, {
    ...request,
    iteration,
    name: request.name ?? (await derivedName(journal, name)),
    limits: { iterations: iteration + allowed },
    isAgain: true,
    ...(isInPlace ? { workspace: from.run.workspace, replaceFiles: true, keepFiles: true } : {}),
  })
}

interface FromRequest extends ForkRequest {
  /** E8. Somebody asked for it: what was tried is tried again. */
  readonly isAgain?: boolean
  readonly keepFiles?: boolean
}

async function createFrom(
  { host, log, now }: NewRunParts,
  run: RunId,
  request: FromRequest,
): Promise<RunId> {
  const from = await host.inspect(run)
  const { iteration, name, input, replaceFiles } = request
  const file = request.file ?? fileOf(from.run, from.state)
  await trustAsAsked(host, file, request.trust)
  const inherited = request.file === undefined ? from.state.source?.changes : undefined
  const loaded = await loadLoop(file, {
    folder: host.folder,
    environment: runEnvironment(request.environment),
    changes: { ...inherited, ...request.changes },
    onLine: (line) => log.info({ run, file }, line),
    ...defined({ input, types: host.loopTypes }),
  })
  try {
    const workspace = request.workspace ?? forkFolder(from, iteration)
    if (workspace !== undefined) makeWorkFolder(workspace)
    const place = await host.placeFork(run, {
      iteration,
      worktree: loaded.worktree,
      ...defined({ workspace, name, replaceFiles }),
    })
    const { id } = await host.createFork(run, loaded.loop, {
      iteration,
      place,
      source: loaded.source,
      ...(request.isAgain === true ? { again: true } : {}),
      ...defined({ limits: request.limits }),
      ...(input === undefined ? {} : { input: loaded.input }),
      queue: { row: queueRow(place, { ...request, carry: true }, now()) },
    })
    return id
  } finally {
    await loaded.close()
  }
}

const nameCharsMax = 64

/** `brave-owls-jump`, `brave-owls-jump-2`, `brave-owls-jump-3`. */
async function derivedName(journal: NewRunParts['host']['journal'], name: string): Promise<string> {
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
