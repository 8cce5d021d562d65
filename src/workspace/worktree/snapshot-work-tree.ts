/**
 * Stores a work tree as a git tree: every file that is tracked or not ignored, with its exact bytes.
 *
 * 1. When it resolves, all objects of the tree are on disk.
 * 2. A file that was changed a moment ago is never considered unchanged because of its times: a snapshot stores
 *    no times in the index until they are older than the resolution of the clock.
 * 3. Pipes, sockets and devices are not part of it, and are not opened.
 */

import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRecentMap } from '../../system/recent-map.ts'
import { type Bytes, toPath } from '../bytes.ts'
import { listChanges, listRealChanges, type Suspect } from '../git/list-changes.ts'
import { replaceFile } from '../git/private-git-dir.ts'
import { noObject, type ObjectId } from '../git/refs.ts'
import { isReservedLink } from '../git/reserved-names.ts'
import type { GitLocation } from '../git/run-git.ts'
import { GitError } from '../git/run-program.ts'
import { storeBlobs } from '../git/store-blobs.ts'
import { inParallel } from '../in-parallel.ts'
import { ChangedError } from '../read-file.ts'
import { identityOf } from '../stat-cache.ts'
import { concurrency, hasCode, tryLstat } from '../workspace-directory.ts'
import { onScratchIndex, treeTimeoutMs, type WorkTree } from './work-tree.ts'

/** If at least this many files look changed but are not, the index is refreshed once. */
const refreshFrom = 500
/** git may compare times in whole seconds. */
const youngMs = 2000
const triesMax = 3
const listingsMax = 10

/** `fallback` returns the tree for a new index, if there is none. */
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
  const { memory } = tree
  const before = await readIndexTree(tree)
  const suspects = await listSuspects(tree, before !== undefined)
  const { changes, same } = await checkSuspects(tree, suspects)
  const refresh = same.length >= refreshFrom && same.every((seen) => isOld(tree, seen))
  if (before !== undefined && changes.length === 0 && !refresh) return before
  const id = await onScratchIndex(tree, async (at) => {
    if (changes.length > 0) await updateIndex(tree, at, changes)
    if (refresh) await refreshIndex(tree, at)
    return writeTree(tree, at)
  })
  await rememberIndexTree(tree, id)
  if (before !== undefined && changes.length > 0) {
    memory.step = { before, after: id, paths: changes.map((change) => change.path) }
  }
  return id
}

/** All files that look changed are listed now and then, so that the index is refreshed if they are many. */
async function listSuspects(tree: WorkTree, isKnown: boolean): Promise<readonly Suspect[]> {
  const { memory, own, path } = tree
  const listings = (memory.listings ?? 0) + 1
  if (isKnown && listings < listingsMax) {
    memory.listings = listings
    try {
      await writeHead(tree)
      return await listRealChanges(tree, own.at(path))
    } catch (error) {
      // HEAD may name a commit that a garbage collection deleted.
      if (!(error instanceof GitError) || error.why !== 'refused') throw error
    }
  }
  memory.listings = 0
  return listChanges(tree, own.at(path))
}

/** The last snapshot, which has the tree of the index. */
async function writeHead({ memory, own, files, base }: WorkTree): Promise<void> {
  const head = memory.kept?.commit ?? base
  if (memory.head === head) return
  await replaceFile(files, join(own.path, 'HEAD'), Buffer.from(`${head}\n`), 'can be recreated')
  memory.head = head
}

interface Change {
  readonly path: Bytes
  /** Absent if the file was deleted. */
  readonly entry?: { readonly mode: string; readonly blob: ObjectId }
}

interface ExistingFile {
  readonly suspect: Suspect
  readonly stat: BigIntStats
  readonly mode: string
}

interface CheckedSuspects {
  readonly changes: readonly Change[]
  /** Files that looked changed but are not. */
  readonly same: readonly BigIntStats[]
}

async function checkSuspects(
  tree: WorkTree,
  suspects: readonly Suspect[],
): Promise<CheckedSuspects> {
  const changes: Change[] = []
  const existing: ExistingFile[] = []
  const lstatInside = createLstatInside(tree)
  await inParallel(suspects, concurrency, async (suspect) => {
    const stat = await lstatInside(suspect.path)
    const mode = stat === undefined ? undefined : toGitMode(suspect.path, stat)
    if (stat !== undefined && mode !== undefined) existing.push({ suspect, stat, mode })
    else if (suspect.was !== undefined) changes.push({ path: suspect.path })
  })
  const blobs = await resolveBlobs(tree, existing)
  const same: BigIntStats[] = []
  for (const [index, { suspect, stat, mode }] of existing.entries()) {
    const blob = blobs[index] ?? ''
    if (suspect.was?.blob === blob && suspect.was.mode === mode) same.push(stat)
    else changes.push({ path: suspect.path, entry: { mode, blob } })
  }
  return { changes, same }
}

/** Finds nothing below a path that is not, or no longer, a folder; a symlink to a folder is not one. */
function createLstatInside(tree: WorkTree): (path: Bytes) => Promise<BigIntStats | undefined> {
  const folders = new Map<Bytes, Promise<boolean>>([['', Promise.resolve(true)]])
  function isFolder(path: Bytes): Promise<boolean> {
    const known = folders.get(path)
    if (known !== undefined) return known
    const result = isFolder(parentOf(path)).then(
      async (isInside) => isInside && (await lstatIfExists(tree, path))?.isDirectory() === true,
    )
    folders.set(path, result)
    return result
  }
  return async (path) => ((await isFolder(parentOf(path))) ? lstatIfExists(tree, path) : undefined)
}

const parentOf = (path: Bytes): Bytes => path.slice(0, Math.max(0, path.lastIndexOf('/')))

const lstatIfExists = (tree: WorkTree, path: Bytes): Promise<BigIntStats | undefined> =>
  tryLstat(tree, path).catch((error: unknown) => {
    if (hasCode(error, 'ENOTDIR')) return undefined
    throw error
  })

function toGitMode(path: Bytes, stat: BigIntStats): string | undefined {
  if (stat.isSymbolicLink()) return isReservedLink(path) ? undefined : '120000'
  if (!stat.isFile()) return undefined
  return (stat.mode & 0o100n) === 0n ? '100644' : '100755'
}

async function resolveBlobs(
  tree: WorkTree,
  existing: readonly ExistingFile[],
): Promise<readonly ObjectId[]> {
  const { cache } = tree
  const known = existing.map(({ suspect, stat }) => cache.find(suspect.path, stat))
  const unknown = existing.filter((_, index) => known[index] === undefined)
  const readAtMs = tree.now()
  const sources = unknown.map(({ suspect: { path }, stat }) => ({ path, seen: stat }))
  const stored = (await storeBlobs(tree, sources)).values()
  cache.keepOnly(new Set(existing.map(({ suspect }) => suspect.path)))
  return existing.map(({ suspect, stat }, index) => {
    const found = known[index]
    if (found !== undefined) return found
    const blob = stored.next().value ?? ''
    cache.remember(suspect.path, stat, blob, readAtMs)
    return blob
  })
}

async function updateIndex(
  tree: WorkTree,
  at: GitLocation,
  changes: readonly Change[],
): Promise<void> {
  const none = noObject(tree.repository)
  // Deletions first, because a new path may conflict with a deleted one.
  const deleted = changes.filter(({ entry }) => entry === undefined)
  const lines = [
    ...deleted.map(({ path }) => `0 ${none}\t${path}\0`),
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

async function writeTree(tree: WorkTree, at: GitLocation): Promise<ObjectId> {
  const { stdout } = await tree.git({ at, command: 'write-tree', timeoutMs: treeTimeoutMs })
  return stdout.toString('latin1').trim()
}

const refreshIndex = (tree: WorkTree, at: GitLocation): Promise<unknown> =>
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

/** Runs what changes only the times of the index file, because it links it. */
export async function keepIndexKnown(tree: WorkTree, work: () => Promise<void>): Promise<void> {
  const known = await readIndexTree(tree).catch(() => undefined)
  await work()
  if (known !== undefined) await rememberIndexTree(tree, known)
}

/** The trees of index files, each valid while the file has this identity. */
const indexTrees = createRecentMap<string, { readonly identity: string; readonly tree: ObjectId }>(
  100,
)

async function readIndexTree(tree: WorkTree): Promise<ObjectId | undefined> {
  const known = indexTrees.get(tree.own.indexFile)
  return known?.identity === (await indexIdentity(tree)) ? known.tree : undefined
}

export async function rememberIndexTree(tree: WorkTree, id: ObjectId): Promise<void> {
  indexTrees.set(tree.own.indexFile, { identity: await indexIdentity(tree), tree: id })
}

const indexIdentity = async ({ files, own }: WorkTree): Promise<string> =>
  identityOf(await files.lstat(own.indexFile, { bigint: true }))

async function makeIndex(tree: WorkTree, from: ObjectId): Promise<void> {
  await onScratchIndex(tree, async (at) => {
    await tree.git({ at, command: 'read-tree', operands: [from], timeoutMs: treeTimeoutMs })
    await refreshIndex(tree, at)
  })
  // Wait for the next second, so that later changes are visible with a resolution of one second.
  await sleep(1000 - (Date.now() % 1000))
}
