/**
 * Applies the difference between two trees to the files of a checkout, without git touching the checkout.
 *
 * 1. All or nothing, as far as files allow it: if one path differs from the base, nothing is written.
 * 2. No path leaves the checkout: a folder on the way that is a link is refused.
 * 3. Each file is replaced at once, so a crash leaves files of the base or of the work, never half of one.
 */

import { createHash, randomUUID } from 'node:crypto'
import {
  chmod,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LoopError, type TreeId } from '../../loop/index.ts'
import { fromTreeId } from '../git/git-tree-id.ts'
import { splitNul } from '../git/list-changes.ts'
import { createMergeLocation } from '../git/merge-trees.ts'
import type { Repository } from '../git/repository.ts'
import { type GitLocation, runGit } from '../git/run-git.ts'
import { worktreeFiles } from '../worktree/worktree-files.ts'

export interface ApplyOptions {
  readonly repository: Repository
  /** The top of the checkout. */
  readonly folder: string
  readonly base: TreeId
  readonly tree: TreeId
  /** Called before the first file is written; an error prevents it (a fence). */
  readonly beforeWrite?: () => Promise<void>
}

/** `base`, `work`: all paths are as in that tree. `other`: neither. */
export type AppliedState = 'base' | 'work' | 'other'

interface Change {
  readonly path: string
  readonly before: Entry | undefined
  readonly after: Entry | undefined
}

interface Entry {
  readonly mode: string
  readonly blob: string
}

const blobBytesMax = 256 * 1024 * 1024
const plainModes = new Set(['100644', '100755', '120000'])

export async function readAppliedState(options: ApplyOptions): Promise<AppliedState> {
  const { changes } = await readChanges(options)
  return stateOf(options, changes)
}

/** Resolves with the changed paths. Rejects with `wrong-status` if the checkout differs from the base. */
export async function applyWork(options: ApplyOptions): Promise<readonly string[]> {
  const { at, changes } = await readChanges(options)
  const odd = changes.find(({ before, after }) => isOdd(before) || isOdd(after))
  if (odd !== undefined) {
    throw new LoopError(
      'bad-request',
      `${odd.path} is a submodule, which cannot be applied. Merge the branch of the run instead.`,
    )
  }
  const state = await stateOf(options, changes)
  const paths = changes.map(({ path }) => path)
  if (state === 'work') return paths
  if (state === 'other') {
    const message = `Files of ${options.folder} differ from what the run started with.`
    throw new LoopError(
      'wrong-status',
      `${message} Commit or revert your changes, or merge the work.`,
    )
  }
  const contents = await Promise.all(
    changes.map(async ({ after }) => (after === undefined ? undefined : readBlob(at, after.blob))),
  )
  await options.beforeWrite?.()
  for (const [index, change] of changes.entries()) {
    await write(options.folder, change, contents[index])
  }
  return paths
}

const isOdd = (entry: Entry | undefined): boolean =>
  entry !== undefined && !plainModes.has(entry.mode)

async function readChanges({
  repository,
  base,
  tree,
}: ApplyOptions): Promise<{ readonly at: GitLocation; readonly changes: readonly Change[] }> {
  const at = await createMergeLocation({ files: worktreeFiles }, repository)
  const { stdout } = await runGit({
    at,
    command: 'diff-tree',
    options: ['-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--no-abbrev'],
    operands: [fromTreeId(base), fromTreeId(tree)],
  })
  const parts = splitNul(stdout)
  const changes: Change[] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [from = '', to = '', was = '', is = ''] = parts[index]?.slice(1).split(' ') ?? []
    const path = Buffer.from(parts[index + 1] ?? '', 'latin1').toString('utf8')
    changes.push({ path, before: entryOf(from, was), after: entryOf(to, is) })
  }
  return { at, changes }
}

const entryOf = (mode: string, blob: string): Entry | undefined =>
  mode === '000000' ? undefined : { mode, blob }

async function stateOf(
  { folder, repository }: ApplyOptions,
  changes: readonly Change[],
): Promise<AppliedState> {
  let isBase = true
  let isWork = true
  for (const { path, before, after } of changes) {
    const found = await readEntry(folder, path, repository.objectFormat)
    isBase &&= isSame(found, before)
    isWork &&= isSame(found, after)
  }
  return isWork ? 'work' : isBase ? 'base' : 'other'
}

const isSame = (one: Entry | undefined, two: Entry | undefined): boolean =>
  one?.mode === two?.mode && one?.blob === two?.blob

/** Undefined: there is no such file. */
async function readEntry(
  folder: string,
  path: string,
  objectFormat: Repository['objectFormat'],
): Promise<Entry | undefined> {
  await requireRealFolders(folder, path)
  const file = join(folder, path)
  const stat = await lstat(file).catch(() => undefined)
  if (stat === undefined) return undefined
  if (stat.isSymbolicLink()) {
    const target = await readlink(file, 'buffer')
    return { mode: '120000', blob: hashBlob(target, objectFormat) }
  }
  if (!stat.isFile()) return { mode: 'other', blob: '' }
  const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755'
  return { mode, blob: hashBlob(await readFile(file), objectFormat) }
}

const hashBlob = (content: Buffer, algorithm: Repository['objectFormat']): string =>
  createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest('hex')

async function readBlob(at: GitLocation, blob: string): Promise<Buffer> {
  const { stdout } = await runGit({
    at,
    command: 'cat-file',
    options: ['blob'],
    operands: [blob],
    outputBytesMax: blobBytesMax,
  })
  return stdout
}

async function write(folder: string, change: Change, content: Buffer | undefined): Promise<void> {
  await requireRealFolders(folder, change.path)
  const file = join(folder, change.path)
  if (change.after === undefined || content === undefined) return rm(file, { force: true })
  await mkdir(dirname(file), { recursive: true })
  const temporary = join(dirname(file), `.loopwright-${randomUUID()}`)
  try {
    if (change.after.mode === '120000') await symlink(content, temporary)
    else {
      await writeFile(temporary, content, { flag: 'wx' })
      if (change.after.mode === '100755') await chmod(temporary, 0o755)
    }
    await rename(temporary, file)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function requireRealFolders(folder: string, path: string): Promise<void> {
  const parts = path.split('/').slice(0, -1)
  if (
    path.split('/').some((part) => part === '..' || part === '.' || part.toLowerCase() === '.git')
  ) {
    throw new LoopError(
      'bad-request',
      `${JSON.stringify(path)} cannot be applied. Merge the branch of the run instead.`,
    )
  }
  for (const [index] of parts.entries()) {
    const above = join(folder, ...parts.slice(0, index + 1))
    const stat = await lstat(above).catch(() => undefined)
    if (stat === undefined) return
    if (stat.isDirectory()) continue
    throw new LoopError(
      'wrong-status',
      `${above} is not a folder, so ${path} cannot be applied. Move it, or merge the branch of the run.`,
    )
  }
}
