/**
 * A work tree as a git tree: every file that is tracked or not ignored, with its exact bytes.
 *
 * 1. When it resolves, all objects of the tree are on disk.
 * 2. A file that was changed a moment ago is never taken for unchanged because of its times: what a
 *    snapshot puts into the index has no times there until it is older than they can tell.
 * 3. Pipes, sockets and devices are no part of it, and are not opened.
 */

import type { BigIntStats } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bytes, toPath } from '../bytes.ts'
import { inParallel } from '../in-parallel.ts'
import { hasCode, look, width } from '../place.ts'
import { ChangedError } from '../read-file.ts'
import { identityOf } from '../stat-cache.ts'
import { listChanges, type Suspect } from './list-changes.ts'
import { noObject, type ObjectId } from './refs.ts'
import { isReservedLink } from './reserved-names.ts'
import type { GitPlace } from './run-git.ts'
import { storeBlobs } from './store-blobs.ts'
import { onScratchIndex, treeTimeoutMs, type WorkTree } from './work-tree.ts'

/** From so many files on that look changed and are not, git is told once that they are not. */
const refreshFrom = 500
/** git may compare times in whole seconds. */
const youngMs = 2000
const triesMax = 3

/** `fallback` is what an index is made from if there is none. */
export async function snapshotWorkTree(
  tree: WorkTree,
  fallback: () => Promise<ObjectId>,
): Promise<ObjectId> {
  if (!(await hasIndex(tree))) await makeIndex(tree, await fallback())
  for (let tries = 1; ; tries += 1) {
    try {
      return await snapshotOnce(tree)
    } catch (error) {
      if (!(error instanceof ChangedError) || tries === triesMax) throw error
    }
  }
}

async function snapshotOnce(tree: WorkTree): Promise<ObjectId> {
  const { memory, own, path } = tree
  const identity = await indexIdentity(tree)
  const suspects = await listChanges(tree, own.at(path))
  const { changes, same } = await measure(tree, suspects)
  const refresh = same.length >= refreshFrom && same.every((seen) => isOld(tree, seen))
  const isSame = changes.length === 0 && !refresh
  if (isSame && memory.index?.identity === identity) return memory.index.tree
  const id = await onScratchIndex(tree, async (at) => {
    if (changes.length > 0) await updateIndex(tree, at, changes)
    if (refresh) await refreshIndex(tree, at)
    return writeTree(tree, at)
  })
  memory.index = { identity: await indexIdentity(tree), tree: id }
  return id
}

interface Change {
  readonly path: Bytes
  /** Absent when the file is gone. */
  readonly entry?: { readonly mode: string; readonly blob: ObjectId }
}

interface Seen {
  readonly suspect: Suspect
  readonly stat: BigIntStats
  readonly mode: string
}

interface Measured {
  readonly changes: readonly Change[]
  /** What looked changed and is not. */
  readonly same: readonly BigIntStats[]
}

async function measure(tree: WorkTree, suspects: readonly Suspect[]): Promise<Measured> {
  const changes: Change[] = []
  const there: Seen[] = []
  const lookInside = lookerFor(tree)
  await inParallel(suspects, width, async (suspect) => {
    const stat = await lookInside(suspect.path)
    const mode = stat === undefined ? undefined : modeOf(suspect.path, stat)
    if (stat !== undefined && mode !== undefined) there.push({ suspect, stat, mode })
    else if (suspect.was !== undefined) changes.push({ path: suspect.path })
  })
  const blobs = await blobsOf(tree, there)
  const same: BigIntStats[] = []
  for (const [index, { suspect, stat, mode }] of there.entries()) {
    const blob = blobs[index] ?? ''
    if (suspect.was?.blob === blob && suspect.was.mode === mode) same.push(stat)
    else changes.push({ path: suspect.path, entry: { mode, blob } })
  }
  return { changes, same }
}

/** Finds nothing behind what is no folder, or no longer one: a link to a folder is none. */
function lookerFor(tree: WorkTree): (path: Bytes) => Promise<BigIntStats | undefined> {
  const folders = new Map<Bytes, Promise<boolean>>([['', Promise.resolve(true)]])
  function isFolder(path: Bytes): Promise<boolean> {
    const known = folders.get(path)
    if (known !== undefined) return known
    const asked = isFolder(parentOf(path)).then(
      async (isBelow) => isBelow && (await lookOrGone(tree, path))?.isDirectory() === true,
    )
    folders.set(path, asked)
    return asked
  }
  return async (path) => ((await isFolder(parentOf(path))) ? lookOrGone(tree, path) : undefined)
}

const parentOf = (path: Bytes): Bytes => path.slice(0, Math.max(0, path.lastIndexOf('/')))

const lookOrGone = (tree: WorkTree, path: Bytes): Promise<BigIntStats | undefined> =>
  look(tree, path).catch((error: unknown) => {
    if (hasCode(error, 'ENOTDIR')) return undefined
    throw error
  })

function modeOf(path: Bytes, stat: BigIntStats): string | undefined {
  if (stat.isSymbolicLink()) return isReservedLink(path) ? undefined : '120000'
  if (!stat.isFile()) return undefined
  return (stat.mode & 0o100n) === 0n ? '100644' : '100755'
}

async function blobsOf(tree: WorkTree, there: readonly Seen[]): Promise<readonly ObjectId[]> {
  const { cache } = tree
  const known = there.map(({ suspect, stat }) => cache.find(suspect.path, stat))
  const unknown = there.filter((_, index) => known[index] === undefined)
  const readAtMs = tree.now()
  const sources = unknown.map(({ suspect: { path }, stat }) => ({ path, seen: stat }))
  const stored = (await storeBlobs(tree, sources)).values()
  cache.keepOnly(new Set(there.map(({ suspect }) => suspect.path)))
  return there.map(({ suspect, stat }, index) => {
    const found = known[index]
    if (found !== undefined) return found
    const blob = stored.next().value ?? ''
    cache.remember(suspect.path, stat, blob, readAtMs)
    return blob
  })
}

async function updateIndex(
  tree: WorkTree,
  at: GitPlace,
  changes: readonly Change[],
): Promise<void> {
  const none = noObject(tree.repository)
  // What goes makes room for what comes.
  const gone = changes.filter(({ entry }) => entry === undefined)
  const lines = [
    ...gone.map(({ path }) => `0 ${none}\t${path}\0`),
    ...changes.flatMap(({ path, entry }) =>
      entry === undefined ? [] : [`${entry.mode} ${entry.blob}\t${path}\0`],
    ),
  ]
  await tree.git({
    at,
    command: 'update-index',
    options: ['-z', '--add', '--replace', '--index-info'],
    input: toPath(lines.join('')),
    timeoutMs: treeTimeoutMs,
  })
}

async function writeTree(tree: WorkTree, at: GitPlace): Promise<ObjectId> {
  const { stdout } = await tree.git({ at, command: 'write-tree', timeoutMs: treeTimeoutMs })
  return stdout.toString('latin1').trim()
}

const refreshIndex = (tree: WorkTree, at: GitPlace): Promise<unknown> =>
  tree.git({
    at,
    command: 'update-index',
    options: ['-q', '--ignore-submodules', '--refresh'],
    answers: [0, 1],
    timeoutMs: treeTimeoutMs,
  })

const isOld = (tree: WorkTree, stat: BigIntStats): boolean =>
  tree.now() - Number(stat.ctimeNs / 1_000_000n) > youngMs

async function hasIndex({ files, own }: WorkTree): Promise<boolean> {
  return (await files.lstat(own.indexFile).catch(() => undefined)) !== undefined
}

const indexIdentity = async ({ files, own }: WorkTree): Promise<string> =>
  identityOf(await files.lstat(own.indexFile, { bigint: true }))

async function makeIndex(tree: WorkTree, from: ObjectId): Promise<void> {
  await onScratchIndex(tree, async (at) => {
    await tree.git({ at, command: 'read-tree', operands: [from], timeoutMs: treeTimeoutMs })
    await refreshIndex(tree, at)
  })
  // Until a change shows in whole seconds.
  await sleep(1000 - (Date.now() % 1000))
}
