/** Rejects the creation of a worktree on a disk that is almost full. */

import { dirname } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { hasCode } from '../workspace-directory.ts'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'

export const freeBytesMinDefault: number = 512 * 1024 * 1024

export async function requireSpace(
  files: WorktreeFiles,
  path: string,
  freeBytesMin: number,
): Promise<void> {
  const freeBytes = await readFreeBytes(files, path)
  if (freeBytes >= freeBytesMin) return
  const [free, wanted] = [freeBytes, freeBytesMin].map((bytes) => Math.floor(bytes / 1024 ** 2))
  const advice = 'Free some space, for example by removing old worktrees, then try again.'
  const message = `Only ${free} MiB are free for ${path}, but ${wanted} MiB are required. ${advice}`
  throw new LoopError('workspace-failed', message)
}

/** Of the nearest existing parent folder. */
async function readFreeBytes(files: WorktreeFiles, path: string): Promise<number> {
  try {
    const { bavail, bsize } = await files.statfs(path)
    return bavail * bsize
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR') || dirname(path) === path) throw error
    return readFreeBytes(files, dirname(path))
  }
}
