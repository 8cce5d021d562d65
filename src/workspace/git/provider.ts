/** Who makes the folders of worktrees. Branches, content and safety are not their business. */

import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'

export interface WorktreeRequest {
  readonly repository: Repository
  /** It exists, and no worktree has it. */
  readonly branch: string
  readonly path: string
}

export interface WorktreeProvider {
  readonly name: 'git' | 'worktrunk'
  /** Registers a worktree for the branch. Resolves with where it is; files may be there or not. */
  add(git: RunGit, request: WorktreeRequest): Promise<string>
  /** Removes folder and registration, whatever is in the folder; never the branch. */
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
      // Twice: git locks a worktree while it makes it, and a kill leaves it so.
      options: ['remove', '--force', '--force'],
      operands: [path],
    })
  },
}
