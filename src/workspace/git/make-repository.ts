/** A repository of our own with one commit, for work that is only tried. */

import { join } from 'node:path'
import { runGit } from './run-git.ts'

/** All that is in the folder is in the commit. */
export async function makeRepository(folder: string): Promise<void> {
  const at = { gitDir: join(folder, '.git'), workTree: folder }
  await runGit({ at, command: 'init', options: ['--quiet', '--initial-branch=main'] })
  await runGit({ at, command: 'add', options: ['--all'] })
  await runGit({ at, command: 'commit', options: ['--quiet', '--message=Begin'] })
}
