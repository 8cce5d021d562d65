/** The file calls of worktrees, so that tests can make any of them fail. */

import * as nodeFiles from 'node:fs/promises'
import type { Files } from '../../engine/index.ts'
import { hasCode } from '../place.ts'

export type WorktreeFiles = Files &
  Pick<typeof nodeFiles, 'access' | 'copyFile' | 'link' | 'realpath' | 'statfs'>

export const worktreeFiles: WorktreeFiles = nodeFiles

/** A second name for a file that nobody writes into; a copy where there are no second names. */
export async function linkOrCopy(files: WorktreeFiles, from: string, to: string): Promise<void> {
  try {
    await files.link(from, to)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS')) throw error
    await files.copyFile(from, to)
  }
}
