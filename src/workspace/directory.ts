/**
 * A plain directory as a workspace. Its snapshots are trees of blobs, which are stored outside the directory.
 *
 * 1. `restore(t)` and then `snapshot()` returns `t`, except for excluded paths.
 * 2. One snapshot or restore runs at a time. No other process should write to the directory meanwhile; a
 *    snapshot that notices a change starts again, up to three times in all.
 */

import * as nodeFiles from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Blobs, Files, Workspace } from '../engine/index.ts'
import { isLoopError, LoopError, type TreeId } from '../loop/index.ts'
import { fromText } from './bytes.ts'
import { createExclusions } from './exclusions.ts'
import { ChangedError } from './read-file.ts'
import { restore } from './restore.ts'
import { scan } from './scan.ts'
import { createStatCache, type StatCache } from './stat-cache.ts'
import { readTextFile, writeTextFile } from './text-files.ts'
import { createTrees } from './trees.ts'
import { hasCode, tryLstat, type WorkspaceDirectory } from './workspace-directory.ts'

export interface DirectoryWorkspaceOptions {
  readonly path: string
  readonly blobs: Blobs
  readonly files?: Files
  /** Paths relative to the directory that are not part of it. `.git` never is, at any depth. */
  readonly exclude?: readonly string[]
  readonly now?: () => number
  /** Of this directory and of content that is stored in these blobs. Default: it knows nothing yet. */
  readonly cache?: StatCache
}

const triesMax = 3

export function createDirectoryWorkspace(options: DirectoryWorkspaceOptions): Workspace {
  const path = resolve(options.path)
  const now = options.now ?? Date.now
  const workspace: WorkspaceDirectory = {
    root: fromText(path),
    files: options.files ?? nodeFiles,
    blobs: options.blobs,
    exclusions: createExclusions(options.exclude ?? ['.git']),
    cache: options.cache ?? createStatCache(now),
    now,
  }
  let last: Promise<unknown> = Promise.resolve()

  function enqueue<T>(operation: string, work: () => Promise<T>): Promise<T> {
    const result = last.then(work).catch((error: unknown) => {
      throw isLoopError(error) ? error : failed(operation, path, error)
    })
    last = result.catch(() => {})
    return result
  }

  return {
    path,
    exists: () => enqueue('check', () => directoryExists(workspace, path)),
    snapshot: () => enqueue('snapshot', () => snapshot(workspace, path)),
    restore: (tree) => enqueue('restore', () => restoreRoot(workspace, path, tree)),
    readText: (file) => readTextFile(path, file),
    writeText: (file, text, writing) =>
      enqueue('write', () => writeTextFile(path, file, text, writing)),
    async changes(before, after) {
      const { added, changed, removed } = await createTrees(workspace.blobs).diffTrees(
        before,
        after,
      )
      return [...added, ...changed, ...removed].toSorted()
    },
  }
}

async function snapshot(workspace: WorkspaceDirectory, path: string): Promise<TreeId> {
  if (!(await directoryExists(workspace, path))) {
    const advice = 'Create it, or use another workspace.'
    throw new LoopError('workspace-failed', `The directory ${path} does not exist. ${advice}`)
  }
  for (let tries = 1; ; tries += 1) {
    try {
      return await scan(workspace)
    } catch (error) {
      if (!(error instanceof ChangedError) || tries === triesMax) throw error
    }
  }
}

async function restoreRoot(
  workspace: WorkspaceDirectory,
  path: string,
  tree: TreeId,
): Promise<void> {
  if (!(await directoryExists(workspace, path)))
    await workspace.files.mkdir(path, { recursive: true })
  await restore(workspace, tree)
}

/** Rejects anything but a directory: a symlink could lead anywhere. */
async function directoryExists(workspace: WorkspaceDirectory, path: string): Promise<boolean> {
  const seen = await tryLstat(workspace, '')
  if (seen === undefined || seen.isDirectory()) return seen !== undefined
  const [problem, advice] = seen.isSymbolicLink()
    ? ['a symlink', 'Use the path of its target.']
    : ['not a directory', 'Move it, or use another workspace.']
  throw new LoopError('workspace-failed', `The workspace ${path} is ${problem}. ${advice}`)
}

function failed(operation: string, path: string, cause: unknown): LoopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `The ${operation} of ${path} failed: ${reason}. ${suggestFix(cause)}`
  return new LoopError('workspace-failed', message, { cause })
}

function suggestFix(cause: unknown): string {
  if (cause instanceof ChangedError)
    return 'Stop the process that writes to it, or exclude it, then resume.'
  if (hasCode(cause, 'EACCES', 'EPERM')) return 'Make it accessible, or exclude it, then resume.'
  if (hasCode(cause, 'ENOSPC', 'EDQUOT')) return 'Free some space, then resume.'
  return 'Fix the cause, then resume.'
}
