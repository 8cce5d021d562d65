/**
 * A git directory of our own over a repository's objects. Every git command that reads or writes
 * files of a work tree works with one of these and not with the repository's: so hooks, filters,
 * drivers, monitors and included settings of the repository do not exist for it.
 *
 * 1. In one for exact work, attributes of the work tree have no effect either: no line ending, no
 *    encoding and no keyword is converted, and a tree has the bytes of the files.
 * 2. It can be thrown away: it holds nothing but an index, which can be made again from a tree.
 */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { Repository } from './repository.ts'
import type { GitPlace } from './run-git.ts'
import { readBelow, readSmall, requireNoLink } from './small-file.ts'
import type { WorktreeFiles } from './worktree-files.ts'

export interface OwnDirectory {
  readonly path: string
  /** To work on the index that is given, or on the own one. */
  at(workTree: string, indexFile?: string): GitPlace
  readonly indexFile: string
}

export interface OwnDirectoryOptions {
  readonly repository: Repository
  readonly path: string
  readonly exact: boolean
  /** Lines for the list of what is ignored. */
  readonly excludes?: readonly string[]
  /** A folder above it, below which nobody put a link; the repository's own unless told. */
  readonly top?: string
}

/** `!` takes back what the work tree says, so that it can neither hide a difference nor merge. */
export const noConversion = '* -text -eol -ident -filter -working-tree-encoding !diff !merge\n'

export async function makeOwnDirectory(
  files: WorktreeFiles,
  { repository, path, exact, excludes = [], top }: OwnDirectoryOptions,
): Promise<OwnDirectory> {
  const { commonDir } = repository
  await requireOurs(files, top ?? commonDir, path)
  const [theirs = '', ignored] = await Promise.all([
    readBelow(files, commonDir, join(commonDir, 'info', 'exclude'), 'latin1'),
    readIfThere(files, repository.ignoreFile),
    files.mkdir(join(path, 'refs'), { recursive: true }),
    files.mkdir(join(path, 'info'), { recursive: true }),
  ])
  const wanted: Readonly<Record<string, string>> = {
    config: configFor(repository),
    'info/attributes': exact ? noConversion : '',
    // The last line that fits decides, so ours come last.
    'info/exclude': [ignored, theirs, ...excludes, ''].join('\n'),
  }
  const put = async ([name, content]: readonly [string, string]): Promise<void> => {
    if ((await readSmall(files, join(path, name), undefined, 'latin1')) === content) return
    await replaceFile(files, join(path, name), Buffer.from(content, 'latin1'), 'can be made again')
  }
  await Promise.all(Object.entries(wanted).map(put))
  // Last: it makes the folder a git directory.
  await put(['HEAD', 'ref: refs/heads/none\n'])
  const indexFile = join(path, 'index')
  const objectsDir = join(repository.commonDir, 'objects')
  return {
    path,
    indexFile,
    at: (workTree, own = indexFile) => ({ gitDir: path, workTree, indexFile: own, objectsDir }),
  }
}

/** What git would follow, or take for its settings, is not ours. */
async function requireOurs(files: WorktreeFiles, top: string, path: string): Promise<void> {
  const names = ['refs', 'info', 'info/attributes', 'info/exclude', 'config', 'HEAD', 'index']
  for (const name of names) await requireNoLink(files, top, join(path, name))
  const planted = join(path, 'commondir')
  const seen = await files.lstat(planted).catch(() => undefined)
  if (seen === undefined) return
  const message = `${planted} was not made by us, and would lead git elsewhere. Remove ${path}.`
  throw new LoopError('workspace-failed', message)
}

/** A file has its old content or its new one, whenever we are killed. */
export async function replaceFile(
  files: WorktreeFiles,
  path: string,
  content: Buffer,
  loss: 'must not be lost' | 'can be made again' = 'must not be lost',
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

/** Its bytes, as `Bytes`; none if there is no such file. A person may keep it elsewhere, by a link. */
async function readIfThere(files: WorktreeFiles, path: string | undefined): Promise<string> {
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
