/**
 * What of a repository's own files a command in the workspace may read, and what it must not change.
 *
 * A workspace may have been written by an agent, so a `.git` file that points elsewhere is believed
 * only if the repository it points to points back: only a real `git worktree add` writes both.
 */

import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface GitMounts {
  /** In this order, after the workspace. */
  readonly readOnly: readonly string[]
  /** Configurations that hold a password or a token. git works without them, but for its remotes. */
  readonly hide: readonly string[]
}

/** In an address, in a header, or by name. */
const secretInConfig = /:\/\/[^\s/@]+@|^\s*(?:extraheader|password|token|sslkey)\s*=/im

/** To be found once for a place, before anything runs in it that could change it meanwhile. */
export function gitMounts(workspace: string): GitMounts {
  const own = join(workspace, '.git')
  const kind = kindOf(own)
  const repository = kind === 'file' ? repositoryOf(own) : kind === 'folder' ? own : undefined
  const readOnly = [...new Set([repository, kind === undefined ? undefined : own])]
  const config = repository === undefined ? [] : [join(repository, 'config')]
  return {
    readOnly: readOnly.filter((path) => path !== undefined),
    hide: config.filter((file) => kindOf(file) === 'file' && secretInConfig.test(read(file))),
  }
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

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // who cannot read it cannot read it inside either
  }
}
