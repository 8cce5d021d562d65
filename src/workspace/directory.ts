/**
 * A plain directory as a workspace. Its snapshots are trees of blobs; nothing of them is kept in the
 * directory itself.
 *
 * 1. `restore(t)` and then `snapshot()` gives `t` (of what is not excluded).
 * 2. One snapshot or restore at a time. Nothing else should be at work in the directory meanwhile; a
 *    snapshot that notices otherwise looks again, three times in all.
 */

import * as nodeFiles from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Blobs, Files, Workspace } from '../engine/index.ts'
import { isLoopError, LoopError, type TreeId } from '../loop/index.ts'
import { fromText } from './bytes.ts'
import { createExclusions } from './exclusions.ts'
import { hasCode, look, type Place } from './place.ts'
import { ChangedError } from './read-file.ts'
import { restore } from './restore.ts'
import { scan } from './scan.ts'
import { createStatCache } from './stat-cache.ts'
import { createTrees } from './trees.ts'

export interface DirectoryWorkspaceOptions {
  readonly path: string
  readonly blobs: Blobs
  readonly files?: Files
  /** Paths relative to the directory that are no part of it. `.git` never is, at any depth. */
  readonly exclude?: readonly string[]
  readonly now?: () => number
}

const triesMax = 3

export function createDirectoryWorkspace(options: DirectoryWorkspaceOptions): Workspace {
  const path = resolve(options.path)
  const now = options.now ?? Date.now
  const place: Place = {
    root: fromText(path),
    files: options.files ?? nodeFiles,
    blobs: options.blobs,
    exclusions: createExclusions(options.exclude ?? ['.git']),
    cache: createStatCache(now),
    now,
  }
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(what: string, work: () => Promise<T>): Promise<T> {
    const turn = last.then(work).catch((error: unknown) => {
      throw isLoopError(error) ? error : failed(what, path, error)
    })
    last = turn.catch(() => {})
    return turn
  }

  return {
    path,
    exists: () => inTurn('look', () => isThere(place, path)),
    snapshot: () => inTurn('snapshot', () => snapshot(place, path)),
    restore: (tree) => inTurn('restore', () => restoreRoot(place, path, tree)),
    async changes(before, after) {
      const { added, changed, removed } = await createTrees(place.blobs).diffTrees(before, after)
      return [...added, ...changed, ...removed].toSorted()
    },
  }
}

async function snapshot(place: Place, path: string): Promise<TreeId> {
  if (!(await isThere(place, path))) {
    const advice = 'Create it, or give the path of the directory to work in.'
    throw new LoopError('workspace-failed', `There is no directory ${path}. ${advice}`)
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await scan(place)
    } catch (error) {
      if (!(error instanceof ChangedError) || tries === triesMax) throw error
    }
  }
}

async function restoreRoot(place: Place, path: string, tree: TreeId): Promise<void> {
  if (!(await isThere(place, path))) await place.files.mkdir(path, { recursive: true })
  await restore(place, tree)
}

/** What is there must be a directory: a link in its place could lead anywhere. */
async function isThere(place: Place, path: string): Promise<boolean> {
  const seen = await look(place, '')
  if (seen === undefined || seen.isDirectory()) return seen !== undefined
  const [what, advice] = seen.isSymbolicLink()
    ? ['a symbolic link', 'Give the path that it leads to.']
    : ['not a directory', 'Move it away, or give the path of the directory to work in.']
  throw new LoopError('workspace-failed', `The workspace ${path} is ${what}. ${advice}`)
}

function failed(what: string, path: string, cause: unknown): LoopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `The ${what} of ${path} failed: ${reason}. ${adviceFor(cause)}`
  return new LoopError('workspace-failed', message, { cause })
}

function adviceFor(cause: unknown): string {
  if (cause instanceof ChangedError) return 'Stop what writes to it, or exclude it, then resume.'
  if (hasCode(cause, 'EACCES', 'EPERM')) return 'Make it accessible, or exclude it, then resume.'
  if (hasCode(cause, 'ENOSPC', 'EDQUOT')) return 'Free some space, then resume.'
  return 'Remove the cause, then resume.'
}
