/**
 * A clean place: the files of a tree and nothing else, however often hostile code has run in it.
 *
 * 1. After `reset` every file was found to hold what the tree, or what is laid over it, says: read when it
 *    was put there, and known to be unchanged since; see `sweep.ts`. What does not come out so is refused.
 * 2. No file in it is the same file as one elsewhere: nothing is linked, all is written.
 * 3. Nothing is registered anywhere: when the folder is gone, all of it is.
 */

import { existsSync, lstatSync } from 'node:fs'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Blobs } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { type Bytes, fromText, show, toPath } from '../bytes.ts'
import { fromTreeId, isGitTree } from '../git/git-tree-id.ts'
import { createBlobSource } from './blob-source.ts'
import { type CheckoutGit, gitIdentity, makeCheckoutGit, objectFolders } from './checkout-git.ts'
import { findWritten } from './find-written.ts'
import { createGitSource } from './git-source.ts'
import { removeTree } from './remove-tree.ts'
import { sweep } from './sweep.ts'
import { at, type SweptFolder, takeAway } from './swept-folder.ts'
import type { TreeSource } from './tree-source.ts'
import { trustsTimes } from './trusts-times.ts'
import { type FindOpaque, openUpperLayer, type UpperLayer } from './upper-layer.ts'
import { type LaidFile, type LaidOver, type WantedFiles, wantedFiles } from './wanted-files.ts'

/** What is in the checkout and no part of the tree, such as its dependencies. */
export interface Apart {
  /** In the checkout; whatever the tree has there is not put. */
  readonly path: string
  /** It is as it should be. */
  isIntact(whole: string): Promise<boolean>
  /** Where nothing is. */
  make(whole: string): Promise<void>
}

export interface OpenCheckoutOptions {
  /** A folder of our own with nothing in it, which goes with the checkout. */
  readonly folder: string
  readonly tree: TreeId
  readonly blobs: Blobs
  /** For trees of git. */
  readonly git?: CheckoutGit
  readonly apart?: readonly Apart[]
  /**
   * Commands can be run over it with an overlay, and then never write to it: pass `overlayFolder` to the
   * sandbox. What they leave at paths that are kept is moved into the checkout by the next `reset`.
   */
  readonly isOverlaid?: boolean
  readonly findOpaque?: FindOpaque
}

export interface ResetOptions {
  readonly over?: LaidOver
  readonly keep?: readonly string[]
}

export interface OpenedCheckout {
  readonly path: string
  /** Whole paths that must be seen by whoever works in it, and not be changed. */
  readonly readOnly: readonly string[]
  reset(tree: TreeId, options?: ResetOptions): Promise<void>
  /** Where the overlay keeps what commands write; absent: it is not overlaid. */
  readonly overlayFolder?: string
  /** Files that are not what the last `reset` put there, for people; at most 50. */
  written(): Promise<readonly string[]>
  /**
   * All that commands wrote since the last `reset`, also what they restored or removed again. A folder: something
   * in it was created and removed. Absent: it is not overlaid.
   */
  writes?(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** The files did not become what the tree says: something writes there, or the disk fails. */
export class TreeChangedError extends Error {
  constructor(path: string, missing: readonly Bytes[]) {
    const shown = missing.slice(0, 3).join(', ')
    super(`${missing.length} files in ${path} are not what the tree says: ${shown}`)
    this.name = 'TreeChangedError'
  }
}

const triesMax = 3
const writtenMax = 50

export async function openCheckout(options: OpenCheckoutOptions): Promise<OpenedCheckout> {
  const { folder, tree, blobs, git } = options
  const path = join(folder, 'tree')
  const trash = join(folder, 'trash')
  const control = join(folder, 'git')
  for (const one of [path, trash, control]) await mkdir(one, { mode: 0o700 })
  await chmod(path, 0o755)
  const ofGit =
    git === undefined || !isGitTree(tree)
      ? undefined
      : createGitSource({ repository: git.repository, folder: control })
  const source = ofGit ?? createBlobSource(blobs)
  const opened: Opened = {
    source,
    path,
    trash,
    swept: {
      root: fromText(path),
      trash,
      hash: source.hash,
      trustsTimes: trustsTimes(folder),
      known: new Map(),
    },
    apart: options.apart ?? [],
    put: { files: new Map(), folders: new Set() },
    upper:
      options.isOverlaid === true
        ? openUpperLayer(
            join(folder, 'writes'),
            { root: fromText(path), trash },
            options.findOpaque,
          )
        : undefined,
  }
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  const withGit = (): Opened =>
    git === undefined || ofGit === undefined
      ? opened
      : { ...opened, apart: [...opened.apart, gitApart(git, tree, () => ofGit.indexFile())] }
  const all = withGit()
  const { upper } = all
  await reset(all, tree, {})
  return {
    path,
    readOnly: git === undefined ? [] : await objectFolders(git.repository),
    reset: (wanted, how = {}) => inTurn(() => reset(all, wanted, how)),
    ...(upper === undefined
      ? {}
      : { overlayFolder: upper.folder, writes: () => inTurn(() => upper.written()) }),
    written: () => inTurn(async () => (await findChanged(all)).slice(0, writtenMax).map(show)),
    remove: () => inTurn(() => removeTree(folder)),
  }
}

interface Opened {
  readonly source: TreeSource
  readonly path: string
  readonly trash: string
  readonly swept: SweptFolder
  readonly apart: readonly Apart[]
  /** What the last reset made of it. */
  put: Pick<WantedFiles, 'files' | 'folders'>
  readonly upper: UpperLayer | undefined
}

async function findChanged({ swept, put: before, upper }: Opened): Promise<readonly Bytes[]> {
  const below = await findWritten(swept, before, writtenMax)
  const above = (await upper?.findChanged(before, swept.hash)) ?? []
  return [...new Set([...below, ...above])]
}

async function reset(opened: Opened, tree: TreeId, options: ResetOptions): Promise<void> {
  const { source, path, swept, upper } = opened
  const wanted = wantedFiles(await source.list(tree), {
    over: options.over ?? new Map(),
    keep: options.keep ?? [],
    apart: new Set(opened.apart.map((one) => fromText(one.path))),
    hash: source.hash,
  })
  await upper?.reset(wanted.keep)
  for (let tries = 1; ; tries += 1) {
    const missing = await sweep(swept, wanted)
    if (missing.length === 0) break
    if (tries > triesMax) throw new TreeChangedError(path, missing)
    await put(opened, tree, wanted, missing)
  }
  opened.put = wanted
  for (const one of opened.apart) await mend(opened, one)
  await emptyTrash(opened)
}

async function put(
  { source, path, swept }: Opened,
  tree: TreeId,
  { laid }: WantedFiles,
  missing: readonly Bytes[],
): Promise<void> {
  const ofTree = missing.filter((one) => !laid.has(one))
  if (ofTree.length > 0) await source.put(tree, path, ofTree)
  for (const one of missing) {
    const file = laid.get(one)
    if (file !== undefined) await lay(at(swept, one), file)
  }
}

async function lay(path: Buffer, { content, kind }: LaidFile): Promise<void> {
  if (kind === 'link') return symlink(toPath(Buffer.from(content).toString('latin1')), path)
  await writeFile(path, content, { flag: 'wx', mode: kind === 'executable' ? 0o755 : 0o644 })
}

async function mend({ path, swept }: Opened, apart: Apart): Promise<void> {
  const whole = join(path, apart.path)
  if (existsSync(whole) && (await apart.isIntact(whole))) return
  const seen = lstatSync(whole, { bigint: true, throwIfNoEntry: false })
  if (seen !== undefined) takeAway(swept, fromText(apart.path), seen)
  await apart.make(whole)
}

/** Made once the files are there: its index knows their times. */
function gitApart(git: CheckoutGit, tree: TreeId, indexFile: () => string | undefined): Apart {
  let identity: string | undefined
  return {
    path: '.git',
    isIntact: async (whole) => gitIdentity(join(whole, '..')) === identity,
    async make(whole) {
      const path = join(whole, '..')
      await makeCheckoutGit({ ...git, path, tree: fromTreeId(tree), indexFile: indexFile() })
      identity = gitIdentity(path)
    },
  }
}

async function emptyTrash({ trash }: Opened): Promise<void> {
  if ((await readdir(trash)).length === 0) return
  await removeTree(trash)
  await mkdir(trash, { mode: 0o700 })
}
