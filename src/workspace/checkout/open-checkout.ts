/**
 * A clean checkout: the files of a tree and nothing else, however often hostile code has run in it.
 *
 * 1. After `reset` every file is verified to match the tree or its override: it was read after it was written,
 *    and is known to be unchanged since (see `sweep.ts`). Otherwise `reset` rejects.
 * 2. No file in it is a hard link: all files are copied.
 * 3. Nothing is registered elsewhere: removing the folder removes everything.
 */

import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Blobs } from '../../engine/index.ts'
import { plural } from '../../loop/excerpt/plural.ts'
import type { TreeId } from '../../loop/index.ts'
import { type Bytes, fromText, toDisplay, toPath } from '../bytes.ts'
import { fromTreeId, isGitTree } from '../git/git-tree-id.ts'
import { createBlobSource } from './blob-source.ts'
import {
  type CheckoutFiles,
  computeCheckoutFiles,
  type FileOverrides,
  type OverrideFile,
} from './checkout-files.ts'
import { type CheckoutGit, createCheckoutGit, gitIdentity, objectFolders } from './checkout-git.ts'
import { findChangedFiles } from './find-changed-files.ts'
import { createGitSource } from './git-source.ts'
import { hasReliableTimes } from './reliable-times.ts'
import { removeTree } from './remove-tree.ts'
import { sweep } from './sweep.ts'
import { absolutePath, discard, type SweptFolder } from './swept-folder.ts'
import type { TreeSource } from './tree-source.ts'
import { type FindOpaque, openUpperLayer, type UpperLayer } from './upper-layer.ts'

/** A path in the checkout that is not part of the tree, such as its dependencies. */
export interface ManagedPath {
  /** Relative to the checkout; files of the tree at this path are not extracted. */
  readonly path: string
  /** Whether the content at the absolute path is unchanged. */
  isIntact(whole: string): Promise<boolean>
  /** Creates the content at the absolute path, which does not exist yet. */
  create(whole: string): Promise<void>
}

export interface OpenCheckoutOptions {
  /** A private, empty folder, which is removed with the checkout. */
  readonly folder: string
  readonly tree: TreeId
  readonly blobs: Blobs
  /** For trees in git. */
  readonly git?: CheckoutGit
  readonly managedPaths?: readonly ManagedPath[]
  /**
   * Commands run with an overlay over the checkout and never write to it: pass `overlayFolder` to the sandbox. The
   * next `reset` moves what they wrote at kept paths into the checkout.
   */
  readonly isOverlaid?: boolean
  readonly findOpaque?: FindOpaque
}

export interface ResetOptions {
  readonly over?: FileOverrides
  readonly keep?: readonly string[]
}

export interface OpenedCheckout {
  readonly path: string
  /** Absolute paths that a sandbox must mount read-only. */
  readonly readOnly: readonly string[]
  reset(tree: TreeId, options?: ResetOptions): Promise<void>
  /** Where the overlay stores what commands write; absent if there is no overlay. */
  readonly overlayFolder?: string
  /** Files that changed since the last `reset`, for display; at most 50. */
  written(): Promise<readonly string[]>
  /**
   * Everything that commands wrote since the last `reset`, even if they restored or removed it. A folder means that
   * something in it was created and removed. Absent if there is no overlay.
   */
  writes?(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** The files do not match the tree: another process writes there, or the disk fails. */
export class TreeChangedError extends Error {
  constructor(path: string, missing: readonly Bytes[]) {
    const shown = missing.slice(0, 3).join(', ')
    const verb = missing.length === 1 ? 'does' : 'do'
    super(`${plural(missing.length, 'file')} in ${path} ${verb} not match the tree: ${shown}`)
    this.name = 'TreeChangedError'
  }
}

const triesMax = 3
const writtenMax = 50

/** Writes the files without reading them again: every use begins with `reset`, which does. */
export async function openCheckout(options: OpenCheckoutOptions): Promise<OpenedCheckout> {
  const { folder, tree, blobs, git } = options
  const path = join(folder, 'tree')
  const trash = join(folder, 'trash')
  const control = join(folder, 'git')
  for (const one of [path, trash, control]) await mkdir(one, { mode: 0o700 })
  await chmod(path, 0o755)
  const gitSource =
    git === undefined || !isGitTree(tree)
      ? undefined
      : createGitSource({ repository: git.repository, folder: control })
  const source = gitSource ?? createBlobSource(blobs)
  const opened: CheckoutState = {
    source,
    path,
    trash,
    swept: {
      root: fromText(path),
      trash,
      hash: source.hash,
      hasReliableTimes: hasReliableTimes(folder),
      known: new Map(),
    },
    managedPaths: options.managedPaths ?? [],
    current: { files: new Map(), folders: new Set() },
    upper:
      options.isOverlaid === true
        ? openUpperLayer(
            join(folder, 'writes'),
            { root: fromText(path), trash },
            options.findOpaque,
          )
        : undefined,
    removing: Promise.resolve(),
  }
  let last: Promise<unknown> = Promise.resolve()
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
  const withGit = (): CheckoutState =>
    git === undefined || gitSource === undefined
      ? opened
      : {
          ...opened,
          managedPaths: [
            ...opened.managedPaths,
            createGitPath(git, tree, () => gitSource.indexFile()),
          ],
        }
  const state = withGit()
  const { upper } = state
  await reset(state, tree, { isUnverified: true })
  return {
    path,
    readOnly: git === undefined ? [] : await objectFolders(git.repository),
    reset: (wanted, resetOptions = {}) => enqueue(() => reset(state, wanted, resetOptions)),
    ...(upper === undefined
      ? {}
      : { overlayFolder: upper.folder, writes: () => enqueue(() => upper.written()) }),
    written: () =>
      enqueue(async () => (await findChanged(state)).slice(0, writtenMax).map(toDisplay)),
    remove: () =>
      enqueue(async () => {
        await state.removing
        await removeTree(folder)
      }),
  }
}

interface CheckoutState {
  readonly source: TreeSource
  readonly path: string
  readonly trash: string
  readonly swept: SweptFolder
  readonly managedPaths: readonly ManagedPath[]
  /** The files of the last reset. */
  current: Pick<CheckoutFiles, 'files' | 'folders'>
  readonly upper: UpperLayer | undefined
  /** Settles when the trash of earlier resets is removed. */
  removing: Promise<void>
}

async function findChanged({ swept, current, upper }: CheckoutState): Promise<readonly Bytes[]> {
  const inCheckout = await findChangedFiles(swept, current, writtenMax)
  const inUpper = (await upper?.findChanged(current, swept.hash)) ?? []
  return [...new Set([...inCheckout, ...inUpper])]
}

async function reset(
  state: CheckoutState,
  tree: TreeId,
  options: ResetOptions & { readonly isUnverified?: true },
): Promise<void> {
  const { source, path, swept, upper } = state
  const wanted = computeCheckoutFiles(await source.list(tree), {
    over: options.over ?? new Map(),
    keep: options.keep ?? [],
    managedPaths: new Set(state.managedPaths.map((one) => fromText(one.path))),
    hash: source.hash,
  })
  await upper?.reset(wanted.keep)
  for (let tries = 1; ; tries += 1) {
    const missing = await sweep(swept, wanted)
    if (missing.length === 0) break
    if (tries > triesMax) throw new TreeChangedError(path, missing)
    await writeMissing(state, tree, wanted, missing)
    if (options.isUnverified === true) break
  }
  state.current = wanted
  for (const one of state.managedPaths) await restoreManaged(state, one)
  await emptyTrash(state)
}

async function writeMissing(
  { source, path, swept }: CheckoutState,
  tree: TreeId,
  { overrides }: CheckoutFiles,
  missing: readonly Bytes[],
): Promise<void> {
  const fromTree = missing.filter((one) => !overrides.has(one))
  if (fromTree.length > 0) await source.extract(tree, path, fromTree)
  for (const one of missing) {
    const file = overrides.get(one)
    if (file !== undefined) await writeOverride(absolutePath(swept, one), file)
  }
}

async function writeOverride(path: Buffer, { content, kind }: OverrideFile): Promise<void> {
  if (kind === 'link') return symlink(toPath(Buffer.from(content).toString('latin1')), path)
  await writeFile(path, content, { flag: 'wx', mode: kind === 'executable' ? 0o755 : 0o644 })
}

async function restoreManaged(
  { path, swept }: CheckoutState,
  managedPaths: ManagedPath,
): Promise<void> {
  const whole = join(path, managedPaths.path)
  if (existsSync(whole) && (await managedPaths.isIntact(whole))) return
  const seen = lstatSync(whole, { bigint: true, throwIfNoEntry: false })
  if (seen !== undefined) discard(swept, fromText(managedPaths.path), seen)
  await managedPaths.create(whole)
}

/** Created after the files, because its index contains their times. */
function createGitPath(
  git: CheckoutGit,
  tree: TreeId,
  indexFile: () => string | undefined,
): ManagedPath {
  let identity: string | undefined
  return {
    path: '.git',
    isIntact: async (whole) => gitIdentity(join(whole, '..')) === identity,
    async create(whole) {
      const path = join(whole, '..')
      await createCheckoutGit({ ...git, path, tree: fromTreeId(tree), indexFile: indexFile() })
      identity = gitIdentity(path)
    },
  }
}

/** Removes it while the next check runs. */
async function emptyTrash(state: CheckoutState): Promise<void> {
  const { trash, removing } = state
  if ((await readdir(trash)).length === 0) return
  const removed = `${trash}-${randomUUID()}`
  await rename(trash, removed)
  await mkdir(trash, { mode: 0o700 })
  // What is left is removed with the checkout.
  state.removing = removing.then(() => removeTree(removed)).catch(() => undefined)
}
