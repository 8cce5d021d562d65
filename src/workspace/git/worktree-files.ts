/** The file calls of worktrees, so that tests can make any of them fail. */

import * as nodeFiles from 'node:fs/promises'
import type { Files } from '../../engine/index.ts'

export type WorktreeFiles = Files &
  Pick<typeof nodeFiles, 'access' | 'copyFile' | 'link' | 'realpath' | 'statfs'>

export const worktreeFiles: WorktreeFiles = nodeFiles
