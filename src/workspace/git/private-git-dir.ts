/**
 * A private git directory that uses a repository's objects. Every git command that reads or writes files of a
 * work tree uses one of these instead of the repository's own, so that hooks, filters, drivers, monitors and
 * included settings of the repository have no effect.
 *
 * 1. With `exact`, attributes of the work tree have no effect either: no line endings, encodings or keywords are
 *    converted, and a tree has the exact bytes of the files.
 * 2. It is disposable: it contains only an index, which can be rebuilt from a tree.
 */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { WorktreeFiles } from '../worktree/worktree-files.ts'
import type { Repository } from './repository.ts'
import type { GitLocation } from './run-git.ts'
import { readBelow, readSmall, requireNoLink } from './small-file.ts'

export interface PrivateGitDir {
  readonly path: string
  /** Uses the given index file. Default: its own. */
  at(workTree: string, indexFile?: string): GitLocation
  readonly indexFile: string
}

export interface PrivateGitDirOptions {
  readonly repository: Repository
  readonly path: string
  readonly exact: boolean
  /** Additional ignore patterns. */
  readonly excludes?: readonly string[]
  /** A parent folder below which symlinks are rejected. Default: the repository. */
  readonly top?: string
}

/** `!` unsets attributes of the work tree, so that they can neither hide a difference nor affect a merge. */
export const noConversion = '* -text -eol -ident -filter -working-tree-encoding !diff !merge\n'

export async function createPrivateGitDir(
  files: WorktreeFiles,
  { repository, path, exact, excludes = [], top }: PrivateGitDirOptions,
): Promise<PrivateGitDir> {
  const { commonDir } = repository
  await requireUntampered(files, top ?? commonDir, path)
  const [theirs = '', ignored] = await Promise.all([
    readBelow(files, commonDir, join(commonDir, 'info', 'exclude'), 'latin1'),
    readIfExists(files, repository.ignoreFile),
    files.mkdir(join(path, 'refs'), { recursive: true }),
    files.mkdir(join(path, 'info'), { recursive: true }),
  ])
  const wanted: Readonly<Record<string, string>> = {
    config: configFor(repository),
    'info/attributes': exact ? noConversion : '',
    // The last matching line applies, so ours come last.
    'info/exclude': [ignored, theirs, ...excludes, ''].join('\n'),
  }
  const write = async ([name, content]: readonly [string, string]): Promise<void> => {
    if ((await readSmall(files, join(path, name), undefined, 'latin1')) === content) return
    await replaceFile(files, join(path, name), Buffer.from(content, 'latin1'), 'can be recreated')
  }
  await Promise.all(Object.entries(wanted).map(write))
  // Last: it makes the folder a git directory.
  await write(['HEAD', 'ref: refs/heads/none\n'])
  const indexFile = join(path, 'index')
  const objectsDir = join(repository.commonDir, 'objects')
  return {
    path,
    indexFile,
    at: (workTree, own = indexFile) => ({ gitDir: path, workTree, indexFile: own, objectsDir }),
  }
}

/** Rejects symlinks, and a `commondir` that would make git use other settings. */
async function requireUntampered(files: WorktreeFiles, top: string, path: string): Promise<void> {
  const names = ['refs', 'info', 'info/attributes', 'info/exclude', 'config', 'HEAD', 'index']
  for (const name of names) await requireNoLink(files, top, join(path, name))
  const planted = join(path, 'commondir')
  const seen = await files.lstat(planted).catch(() => undefined)
  if (seen === undefined) return
  const message = `${planted} was not created by Loopwright and would redirect git. Remove ${path}.`
  throw new LoopError('workspace-failed', message)
}

/** Atomic: after a kill the file has its old content or its new one. */
export async function replaceFile(
  files: WorktreeFiles,
  path: string,
  content: Buffer,
  loss: 'must not be lost' | 'can be recreated' = 'must not be lost',
): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  const handle = await files.open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    if (loss === 'must not be lost') await handle.sync()
  } finally {
    await handle.close()
  }
  await files.rename(temporary, path)
}

/** As `Bytes`; empty if the file does not exist. Follows symlinks, because it is the user's own file. */
async function readIfExists(files: WorktreeFiles, path: string | undefined): Promise<string> {
  try {
    return path === undefined ? '' : await files.readFile(path, 'latin1')
  } catch {
    return ''
  }
}

export function configFor({ objectFormat }: Repository): string {
  const core = ['[core]', '\tbare = false', '\tfilemode = true', '\tautocrlf = false']
  if (process.platform === 'darwin') core.push('\tignorecase = true', '\tprecomposeunicode = true')
  const version = `\trepositoryformatversion = ${objectFormat === 'sha1' ? 0 : 1}`
  const format = objectFormat === 'sha1' ? [] : ['[extensions]', `\tobjectformat = ${objectFormat}`]
  return [...core, version, ...format, ''].join('\n')
}
