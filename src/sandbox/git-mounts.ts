/**
 * What of a repository's own files a command in the workspace may read, and what it must not change.
 *
 * A workspace may have been written by an agent, so a `.git` file that points elsewhere is believed
 * only if the repository it points to points back: only a real `git worktree add` writes both.
 */

import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readSmallFile } from './small-file.ts'

export interface GitMounts {
  /** In this order, after the workspace. */
  readonly readOnly: readonly string[]
  /** Configurations that hold a password or a token. git works without them, but for its remotes. */
  readonly hide: readonly string[]
}

/** In an address, or by name; a key may stand in the line of its section. */
const secretInConfig =
  /:\/\/[^\s/@:]*:[^\s/@]+@|https?:\/\/[^\s/@]+@|(?:^|\])\s*[\w-]*(?:header|passw(?:or)?d|token|secret|apikey|sslkey|cookie)\s*=/im
/** Where a repository keeps more of it. */
const secretFiles = ['credentials', '.git-credentials']
const configFiles = ['config', 'config.worktree']
const modulesMax = 1000
/** Far more than git writes into them; what is longer is not looked at but hidden. */
const pointerBytesMax = 8192
const configBytesMax = 256 * 1024

/** To be found once for a place, before anything runs in it that could change it meanwhile. */
export function gitMounts(workspace: string): GitMounts {
  const own = join(workspace, '.git')
  const kind = kindOf(own)
  const repository = kind === 'file' ? repositoryOf(own) : kind === 'folder' ? own : undefined
  const readOnly = [...new Set([repository, kind === undefined ? undefined : own])]
  return {
    readOnly: readOnly.filter((path) => path !== undefined),
    hide: repository === undefined ? [] : secretsIn(repository),
  }
}

function secretsIn(repository: string): readonly string[] {
  const isFile = (file: string): boolean => kindOf(file) === 'file'
  const configs = [repository, ...modulesIn(repository)].flatMap((folder) =>
    configFiles.map((name) => join(folder, name)),
  )
  return [
    ...secretFiles.map((name) => join(repository, name)).filter(isFile),
    ...configs.filter((file) => isFile(file) && hasSecret(file)),
  ]
}

/** Repositories of submodules; their names may have slashes in them. */
function modulesIn(repository: string): readonly string[] {
  const folders = [join(repository, 'modules')]
  const found: string[] = []
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    if (found.length + folders.length > modulesMax) break
    for (const name of foldersIn(next)) {
      const folder = join(next, name)
      if (kindOf(join(folder, 'HEAD')) === 'file') found.push(folder, ...modulesIn(folder))
      else folders.push(folder)
    }
  }
  return found
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch {
    return []
  }
}

function hasSecret(file: string): boolean {
  try {
    return secretInConfig.test(readSmallFile(file, configBytesMax))
  } catch {
    return true
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
    const target = /^gitdir: (.+)\n?$/.exec(readSmallFile(pointer, pointerBytesMax))?.[1]
    if (target === undefined) return undefined
    const folder = realpathSync(join(target.startsWith('/') ? '' : dirname(pointer), target))
    const back = readSmallFile(join(folder, 'gitdir'), pointerBytesMax).trim()
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
