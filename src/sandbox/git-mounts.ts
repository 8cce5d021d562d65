/**
 * Which git files a command in the workspace may read, and which it must not see.
 *
 * An agent may have written the workspace, so a `.git` file that points elsewhere is trusted only if the
 * repository points back to it: only `git worktree add` writes both.
 */

import { lstatSync, opendirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LoopError } from '../loop/index.ts'
import { readSmallFileSync } from '../system/index.ts'

export interface GitMounts {
  /** Mounted in this order, after the workspace. */
  readonly readOnly: readonly string[]
  /** Config files that contain a password or a token. Without them git works, except for remotes. */
  readonly hide: readonly string[]
}

/** A secret in a URL, or a key with a telling name, which may follow its section header on the same line. */
const secretInLine =
  /:\/\/[^\s/@:]*:[^\s/@]+@|https?:\/\/[^\s/@]+@|(?:^|\])\s*[\w-]*(?:header|passw(?:or)?d|token|secret|apikey|sslkey|cookie)\s*=/i
/** Credential files of a repository. */
const secretFiles = ['credentials', '.git-credentials']
const configFiles = ['config', 'config.worktree']
/** Limits for the scan below a repository, at any depth. */
const foldersMax = 2000
const entriesMax = 50_000
/** Far more than git writes; a larger file is hidden without being read. */
const pointerBytesMax = 8192
const configBytesMax = 256 * 1024
/** For all config files together; the rest is hidden without being read. */
const allConfigBytesMax = 16 * 1024 ** 2

/** To be called once per sandbox, before a command runs in it that could change the files. */
export function gitMounts(workspace: string): GitMounts {
  const own = join(workspace, '.git')
  const kind = findKind(own)
  const repository = kind === 'file' ? findRepository(own) : kind === 'folder' ? own : undefined
  const readOnly = [...new Set([repository, kind === undefined ? undefined : own])]
  return {
    readOnly: readOnly.filter((path) => path !== undefined),
    hide: repository === undefined ? [] : findSecrets(repository),
  }
}

function findSecrets(repository: string): readonly string[] {
  const isFile = (file: string): boolean => findKind(file) === 'file'
  const configs = [repository, ...findModules(repository)].flatMap((folder) =>
    configFiles.map((name) => join(folder, name)),
  )
  let bytesLeft = allConfigBytesMax
  const hasSecret = (file: string): boolean => {
    const text = bytesLeft > 0 ? tryReadConfig(file) : undefined
    bytesLeft -= text?.length ?? configBytesMax
    return text === undefined || containsSecret(text)
  }
  return [
    ...secretFiles.map((name) => join(repository, name)).filter(isFile),
    ...configs.filter((file) => isFile(file) && hasSecret(file)),
  ]
}

/** The repositories of submodules, recursively; a submodule name may contain slashes. */
function findModules(repository: string): readonly string[] {
  const folders = [join(repository, 'modules')]
  const found: string[] = []
  let entriesLeft = entriesMax
  let scanned = 0
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const names = listFolders(next, entriesLeft)
    entriesLeft -= names.entries
    scanned += 1
    if (scanned > foldersMax || entriesLeft <= 0) throw tooMany(repository)
    for (const name of names.folders) {
      const folder = join(next, name)
      const isModule = findKind(join(folder, 'HEAD')) === 'file'
      if (isModule) found.push(folder)
      folders.push(isModule ? join(folder, 'modules') : folder)
    }
  }
  return found
}

/** A secret in an unread file could not be hidden. */
const tooMany = (repository: string): LoopError =>
  new LoopError(
    'bad-request',
    `${join(repository, 'modules')} contains too many files to search for passwords. ` +
      'Remove submodules that are not needed, or use a clone without submodules.',
  )

/** Follows no symlinks, which could form a cycle. */
function listFolders(
  folder: string,
  entriesLimit: number,
): { readonly folders: readonly string[]; readonly entries: number } {
  const folders: string[] = []
  let entries = 0
  if (findKind(folder) !== 'folder') return { folders, entries }
  try {
    const directory = opendirSync(folder)
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        if (++entries >= entriesLimit) break
        if (entry.isDirectory()) folders.push(entry.name)
      }
    } finally {
      directory.closeSync()
    }
  } catch {
    // The folder was deleted, or cannot be read from inside the sandbox either.
  }
  return { folders, entries }
}

/** Line by line, because a match across lines would take quadratic time. */
const containsSecret = (config: string): boolean =>
  config
    .replaceAll(/\\\r?\n/g, '')
    .split('\n')
    .some((line) => secretInLine.test(line))

/** Undefined for a file that is too large or cannot be read. */
function tryReadConfig(file: string): string | undefined {
  try {
    return readSmallFileSync(file, configBytesMax)
  } catch {
    return undefined
  }
}

function findKind(path: string): 'folder' | 'file' | undefined {
  try {
    const stat = lstatSync(path)
    if (stat.isDirectory()) return 'folder'
    // git does not create symlinks here, and one could lead anywhere.
    return stat.isFile() ? 'file' : undefined
  } catch {
    return undefined
  }
}

/** `repository/worktrees/name/gitdir` names the `.git` file that names `repository/worktrees/name`. */
function findRepository(pointer: string): string | undefined {
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
      findKind(join(repository, 'HEAD')) === 'file' &&
      findKind(join(repository, 'objects')) === 'folder'
    return isOurs && isRepository ? repository : undefined
  } catch {
    return undefined
  }
}
