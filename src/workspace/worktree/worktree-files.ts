/** The file system functions for worktrees, so that tests can make any of them fail. */

import * as nodeFiles from 'node:fs/promises'
import type { Files } from '../../engine/index.ts'
import { hasCode } from '../workspace-directory.ts'
import { copyFolder } from './copy-folder.ts'

export interface WorktreeFiles
  extends Files,
    Pick<typeof nodeFiles, 'access' | 'copyFile' | 'link' | 'realpath' | 'statfs'> {
  /** Copies a whole folder at once; absent or false: its files are copied one by one. */
  copyFolder?(from: string, to: string): Promise<boolean>
}

export const worktreeFiles: WorktreeFiles = { ...nodeFiles, copyFolder }

/** Hard-links a file that is never overwritten; copies it if hard links are not supported. */
export async function linkOrCopy(files: WorktreeFiles, from: string, to: string): Promise<void> {
  try {
    await files.link(from, to)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS')) throw error
    await files.copyFile(from, to)
  }
}
