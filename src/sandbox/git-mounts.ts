/**
 * What of a repository's own files a command in the workspace may read, and what it must not change.
 *
 * A workspace may have been written by an agent, so a `.git` file that points elsewhere is believed
 * only if the repository it points to points back: only a real `git worktree add` writes both.
 */

import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Read-only inside; in this order, after the workspace. */
export function gitMounts(workspace: string): readonly string[] {
  const own = join(workspace, '.git')
  const kind = kindOf(own)
  if (kind === 'folder') return [own]
  if (kind !== 'file') return []
  const repository = repositoryOf(own)
  return repository === undefined ? [own] : [repository, own]
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  try {
    const stat = lstatSync(path)
    if (stat.isDirectory()) return 'folder'
    // A link could lead anywhere, and is not what git makes.
    return stat.isFile() ? 'file' : undefined
  } catch {
    return undefined
  }
}

/** `repository/worktrees/name/gitdir` names the `.git` file that names `repository/worktrees/name`. */
function repositoryOf(pointer: string): string | undefined {
  try {
    const target = /^gitdir: (.+)\n?$/.exec(readFileSync(pointer, 'utf8'))?.[1]
    if (target === undefined) return undefined
    const folder = realpathSync(join(target.startsWith('/') ? '' : dirname(pointer), target))
    const back = readFileSync(join(folder, 'gitdir'), 'utf8').trim()
    const isOurs =
      realpathSync(join(back.startsWith('/') ? '' : folder, back)) === realpathSync(pointer)
    const worktrees = dirname(folder)
    const repository = dirname(worktrees)
    const isRepository =
      basename(worktrees) === 'worktrees' &&
      kindOf(join(repository, 'HEAD')) === 'file' &&
      kindOf(join(repository, 'objects')) === 'folder'
    return isOurs && isRepository ? repository : undefined
  } catch {
    return undefined
  }
}
