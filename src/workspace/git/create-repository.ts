/** Creates a repository with one commit, for trials. */

import { join } from 'node:path'
import { runGit } from './run-git.ts'

/** The commit contains all files of the folder. */
export async function createRepository(folder: string): Promise<void> {
  const at = { gitDir: join(folder, '.git'), workTree: folder }
  await runGit({ at, command: 'init', options: ['--quiet', '--initial-branch=main'] })
  await runGit({ at, command: 'add', options: ['--all'] })
  await runGit({ at, command: 'commit', options: ['--quiet', '--message=Begin'] })
}
