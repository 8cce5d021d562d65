/** New runs, resumed runs, forks. */

import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { humanId } from 'human-id'
import { uuidv7 } from 'uuidv7'
import { createRun, forkRun, type RunRow, rewindRun } from '../engine/index.ts'
import { createOwner } from '../journal/index.ts'
import { isEnd, LoopError, type RunId } from '../loop/index.ts'
import type { Driver, HostPorts } from './driver.ts'
import type { Host } from './host.ts'

export function createStarts(
  base: HostPorts,
  driver: Driver,
  tell: Host['tell'],
): Pick<Host, 'start' | 'resume' | 'fork'> {
  const { journal } = base
  return {
    async start(loop, options) {
      const { input, limits } = options
      const workspace = resolvePath(options.workspace)
      const run = { id: newRunId(), name: options.name ?? newName() }
      await createRun(loop, base, {
        ...run,
        input,
        ...(limits === undefined ? {} : { limits }),
        ...(workspace === undefined ? {} : { workspace }),
      })
      return driver.drive(run, loop, options, workspace)
    },
    async resume(idOrName, loop, options = {}) {
      const run = await journal.findRun(idOrName)
      requireOpen(run)
      if (options.fromIteration !== undefined) {
        await rewindRun(run.id, options.fromIteration, base, createOwner())
      }
      if (run.status === 'paused') await tell(run.id, { type: 'resume' }, 'resume')
      return driver.drive(run, loop, options, resolvePath(options.workspace) ?? run.workspace)
    },
    async fork(idOrName, loop, options) {
      const from = await journal.findRun(idOrName)
      const workspace = resolvePath(options.workspace)
      if (workspace === undefined && from.workspace !== undefined) throw needsWorkspace(from)
      requireEmpty(workspace, options.replaceFiles)
      const run = { id: newRunId(), name: options.name ?? newName() }
      await forkRun(loop, base, {
        ...run,
        from: from.id,
        iteration: options.iteration,
        ...(options.input === undefined ? {} : { input: options.input }),
        ...(options.limits === undefined ? {} : { limits: options.limits }),
        ...(workspace === undefined ? {} : { workspace }),
      })
      return driver.drive(run, loop, options, workspace)
    },
  }
}

export function requireOpen(run: RunRow): void {
  if (!isEnd(run.status)) return
  throw new LoopError(
    'wrong-status',
    `Run "${run.name}" has ended (${run.status}) and stays as it is. ` +
      'Fork it to go on from one of its checkpoints.',
  )
}

/** Files of a checkpoint replace what is in the folder, so that must be nothing, or allowed. */
export function requireEmpty(
  workspace: string | undefined,
  replaceFiles: boolean | undefined,
): void {
  if (workspace === undefined || replaceFiles === true || !existsSync(workspace)) return
  if (readdirSync(workspace).length === 0) return
  throw new LoopError(
    'bad-request',
    `The folder ${workspace} is not empty, and its files would be replaced. ` +
      'Give an empty one, or say replaceFiles.',
  )
}

const needsWorkspace = (from: RunRow): LoopError =>
  new LoopError(
    'bad-request',
    `Run "${from.name}" works in ${from.workspace}. Give the fork a workspace of its own.`,
  )

/** Where a path leads, links resolved: a workspace is never a link itself. */
export function resolvePath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const absolute = resolve(path)
  return existsSync(absolute) ? realpathSync(absolute) : absolute
}

export const newRunId = (): RunId => uuidv7() as RunId

export const newName = (): string => humanId({ separator: '-', capitalize: false })
