/**
 * What of a repository's own files a command in the workspace may read, and what it must not change.
 *
 * A workspace may have been written by an agent, so a `.git` file that points elsewhere is believed
 * only if the repository it points to points back: only a real `git worktree add` writes both.
 */

import { lstatSync, opendirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { readSmallFileSync } from '../system/index.ts'

export interface GitMounts {
  /** In this order, after the workspace. */
  readonly readOnly: readonly string[]
  /** Configurations that hold a password or a token. git works without them, but for its remotes. */
  readonly hide: readonly string[]
}

/** In an address, or by name; a key may stand in the line of its section. */
const secretInLine =
  /:\/\/[^\s/@:]*:[^\s/@]+@|https?:\/\/[^\s/@]+@|(?:^|\])\s*[\w-]*(?:header|passw(?:or)?d|token|secret|apikey|sslkey|cookie)\s*=/i
/** Where a repository keeps more of it. */
const secretFiles = ['credentials', '.git-credentials']
const configFiles = ['config', 'config.worktree']
/** Of all that is looked into below a repository, at any depth. */
const foldersMax = 2000
const entriesMax = 50_000
/** Far more than git writes into them; what is longer is not looked at but hidden. */
const pointerBytesMax = 8192
const configBytesMax = 256 * 1024
/** Of all configurations together; the rest is not looked at but hidden. */
const allConfigBytesMax = 16 * 1024 ** 2

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
  let bytesLeft = allConfigBytesMax
  const hasSecret = (file: string): boolean => {
    const text = bytesLeft > 0 ? textOf(file) : undefined
    bytesLeft -= text?.length ?? configBytesMax
    return text === undefined || isSecret(text)
  }
  return [
    ...secretFiles.map((name) => join(repository, name)).filter(isFile),
    ...configs.filter((file) => isFile(file) && hasSecret(file)),
  ]
}

/** Repositories of submodules, and those of theirs; their names may have slashes in them. */
function modulesIn(repository: string): readonly string[] {
  const folders = [join(repository, 'modules')]
  const found: string[] = []
  let entriesLeft = entriesMax
  let looked = 0
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const names = foldersIn(next, entriesLeft)
    entriesLeft -= names.entries
    looked += 1
    if (looked > foldersMax || entriesLeft <= 0) throw tooMany(repository)
    for (const name of names.folders) {
      const folder = join(next, name)
      const isModule = kindOf(join(folder, 'HEAD')) === 'file'
      if (isModule) found.push(folder)
      folders.push(isModule ? join(folder, 'modules') : folder)
    }
  }
  return found
}

/** What is not looked at could not be hidden either. */
const tooMany = (repository: string): LoopError =>
  new LoopError(
    'bad-request',
    `${join(repository, 'modules')} holds more than can be looked through for passwords. ` +
      'Remove what is not needed in it, or work in a copy without submodules.',
  )

/** No link is followed: it could lead round in circles. */
function foldersIn(
  folder: string,
  entriesMost: number,
): { readonly folders: readonly string[]; readonly entries: number } {
  const folders: string[] = []
  let entries = 0
  if (kindOf(folder) !== 'folder') return { folders, entries }
  try {
    const opened = opendirSync(folder)
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (++entries >= entriesMost) break
        if (entry.isDirectory()) folders.push(entry.name)
      }
    } finally {
      opened.closeSync()
    }
  } catch {
    // It cannot be looked into from inside either, or is gone.
  }
  return { folders, entries }
}

/** Line by line: what could go on over many lines would be tried from each of them. */
const isSecret = (config: string): boolean =>
  config
    .replaceAll(/\\\r?\n/g, '')
    .split('\n')
    .some((line) => secretInLine.test(line))

/** Undefined for one that is too long, or cannot be read. */
function textOf(file: string): string | undefined {
  try {
    return readSmallFileSync(file, configBytesMax)
  } catch {
    return undefined
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
    const target = /^gitdir: (.+)\n?$/.exec(readSmallFileSync(pointer, pointerBytesMax))?.[1]
    if (target === undefined) return undefined
    const folder = realpathSync(join(target.startsWith('/') ? '' : dirname(pointer), target))
    const back = readSmallFileSync(join(folder, 'gitdir'), pointerBytesMax).trim()
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
