/** Providers create and remove the folders of worktrees; branches, content and safety are handled elsewhere. */

import type { Repository } from '../git/repository.ts'
import type { RunGit } from '../git/run-git.ts'

export interface WorktreeRequest {
  readonly repository: Repository
  /** It exists and is not checked out. */
  readonly branch: string
  readonly path: string
}

export interface WorktreeProvider {
  readonly name: 'git' | 'worktrunk'
  /** Registers a worktree for the branch, with or without files. Resolves with its path. */
  add(git: RunGit, request: WorktreeRequest): Promise<string>
  /** Removes folder and registration, whatever the folder contains; never the branch. */
  remove(git: RunGit, request: WorktreeRequest): Promise<void>
}

export const gitProvider: WorktreeProvider = {
  name: 'git',
  async add(git, { repository, branch, path }) {
    await git({
      at: { gitDir: repository.commonDir },
      command: 'worktree',
      options: ['add', '--no-checkout', '--no-guess-remote', '--quiet'],
      operands: [path, branch],
    })
    return path
  },
  async remove(git, { repository, path }) {
    await git({
      at: { gitDir: repository.commonDir },
      command: 'worktree',
      // Twice, because git locks a worktree while it creates it, and a kill leaves the lock.
      options: ['remove', '--force', '--force'],
      operands: [path],
    })
  },
}
