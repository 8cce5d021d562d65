/**
 * Compares the files of a checkout on disk with a tree: reads and hashes each file, whatever git has cached.
 * Writes nothing, neither to the checkout nor to the repository.
 *
 * Ignored files, a `.git` in a folder, and submodules are not part of a tree; they are listed separately.
 */

import { type BigIntStats, lstatSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { explainTemporaryFolderErrors, makeTemporaryFolder } from '../../system/index.ts'
import { type Bytes, fromText, joinBytes, toPath } from '../bytes.ts'
import { hashFile } from '../checkout/hash-file.ts'
import { createExclusions } from '../exclusions.ts'
import { readChunks, wholeBytesMax } from '../read-file.ts'
import {
  absolutePath,
  type Folder,
  listNames,
  readLinkTarget,
  tryLstat,
} from '../workspace-directory.ts'
import { type WorktreeFiles, worktreeFiles } from '../worktree/worktree-files.ts'
import { filterIgnored } from './list-changes.ts'
import { createPrivateGitDir } from './private-git-dir.ts'
import { type GitEntry, objectHash } from './read-objects.ts'
import type { Repository } from './repository.ts'
import { isReserved } from './reserved-names.ts'
import type { GitLocation, RunGit } from './run-git.ts'

export interface CheckoutDifference {
  readonly changed: readonly Bytes[]
  readonly missing: readonly Bytes[]
  readonly added: readonly Bytes[]
  /** Folders end in a slash. */
  readonly notInTree: readonly Bytes[]
}

/** Each is one small file; more would keep others waiting. */
const filesPerTurn = 64

interface ComparedCheckout extends Folder {
  readonly repository: Repository
  readonly git: RunGit
  readonly files: WorktreeFiles
}

export async function compareCheckout(
  git: RunGit,
  repository: Repository,
  checkout: string,
  entries: ReadonlyMap<Bytes, GitEntry>,
  excludedPaths: readonly string[],
): Promise<CheckoutDifference> {
  const compared: ComparedCheckout = {
    root: fromText(checkout),
    files: worktreeFiles,
    repository,
    git,
  }
  const changed: Bytes[] = []
  const missing: Bytes[] = []
  const notInTree: Bytes[] = []
  const folders = new Set([...entries.keys()].flatMap(listParents))
  // A symlink in place of a folder could point to the same files now, and to others later.
  const replaced = findReplacedFolders(compared, folders)
  let read = 0
  for (const [path, entry] of entries) {
    read += 1
    if (read % filesPerTurn === 0) await setImmediate()
    if (replaced.size > 0 && listParents(path).some((folder) => replaced.has(folder)))
      missing.push(path)
    else if (entry.mode === '160000') notInTree.push(`${path}/`)
    else {
      const seen = lstatNow(compared, path)
      if (seen === undefined) missing.push(path)
      else if (!(await isSame(compared, path, entry, seen))) changed.push(path)
    }
  }
  const others = await findOthers(compared, entries, folders, excludedPaths)
  return {
    changed: [...changed, ...replaced].toSorted(),
    missing: missing.toSorted(),
    added: others.added.toSorted(),
    notInTree: [...notInTree, ...others.notInTree].toSorted(),
  }
}

/** Waiting for it takes longer than the call. */
const lstatNow = (compared: ComparedCheckout, path: Bytes): BigIntStats | undefined =>
  lstatSync(absolutePath(compared, path), { bigint: true, throwIfNoEntry: false })

async function isSame(
  compared: ComparedCheckout,
  path: Bytes,
  { mode, id }: GitEntry,
  seen: BigIntStats,
): Promise<boolean> {
  if (mode === '120000') {
    if (!seen.isSymbolicLink()) return false
    const target = Buffer.from(await readLinkTarget(compared, path), 'latin1')
    return (
      objectHash(compared.repository, 'blob', target.length).update(target).digest('hex') === id
    )
  }
  const isExecutable = (seen.mode & 0o100n) !== 0n
  if (!seen.isFile() || isExecutable !== (mode === '100755')) return false
  if (hasContent(compared, path, id, Number(seen.size))) return true
  const hash = objectHash(compared.repository, 'blob', Number(seen.size))
  for await (const chunk of readChunks(compared, path, seen)) hash.update(chunk)
  return hash.digest('hex') === id
}

/** In one go, which is faster for small files. False may also mean that it is being written. */
const hasContent = (
  { repository, root }: ComparedCheckout,
  path: Bytes,
  id: string,
  bytes: number,
): boolean =>
  bytes <= wholeBytesMax &&
  hashFile(toPath(`${root}/${path}`), bytes, {
    algorithm: repository.objectFormat,
    prefix: (size) => `blob ${size}\0`,
  }) === id

/** Finds files that are not in the tree. Does not enter ignored folders. */
async function findOthers(
  compared: ComparedCheckout,
  entries: ReadonlyMap<Bytes, GitEntry>,
  folders: ReadonlySet<Bytes>,
  excludedPaths: readonly string[],
): Promise<{ readonly added: readonly Bytes[]; readonly notInTree: readonly Bytes[] }> {
  const exclusions = createExclusions(excludedPaths)
  const added: Bytes[] = []
  const notInTree: Bytes[] = []
  return withIgnoreRules(compared, async (rules) => {
    let level: readonly Bytes[] = ['']
    while (level.length > 0) {
      const below: Bytes[] = []
      const unknown: Bytes[] = []
      for (const folder of level) {
        for (const name of await listNames(compared, folder)) {
          const path = joinBytes(folder, name)
          // The git directory of the checkout itself.
          if (path === '.git') continue
          if (exclusions.has(path) || isReserved(path)) notInTree.push(path)
          else if (folders.has(path)) {
            if ((await tryLstat(compared, path))?.isDirectory() === true) below.push(path)
          } else if (!entries.has(path)) unknown.push(path)
        }
      }
      const ignored = await filterIgnored(compared, rules, unknown)
      for (const path of unknown) {
        const isFolder = (await tryLstat(compared, path))?.isDirectory() === true
        if (ignored.has(path)) notInTree.push(isFolder ? `${path}/` : path)
        else if (isFolder) below.push(path)
        else added.push(path)
      }
      level = below
    }
    return { added, notInTree }
  })
}

/** Finds folders of the tree that were replaced by another kind of file. */
function findReplacedFolders(
  compared: ComparedCheckout,
  folders: ReadonlySet<Bytes>,
): ReadonlySet<Bytes> {
  const found = new Set<Bytes>()
  // Parents come first.
  for (const folder of [...folders].toSorted()) {
    if (listParents(folder).some((parent) => found.has(parent))) continue
    const seen = lstatNow(compared, folder)
    if (seen !== undefined && !seen.isDirectory()) found.add(folder)
  }
  return found
}

/** Applies the ignore rules without the repository's settings and without writing to it. */
async function withIgnoreRules<T>(
  { repository, root, files }: ComparedCheckout,
  work: (rules: GitLocation) => Promise<T>,
): Promise<T> {
  const folder = await realpath(await makeTemporaryFolder('loopwright-verify-'))
  try {
    const path = join(folder, 'rules')
    const own = await explainTemporaryFolderErrors(folder, () =>
      createPrivateGitDir(files, { repository, path, exact: true }),
    )
    return await work(own.at(Buffer.from(root, 'latin1').toString('utf8')))
  } finally {
    await files.rm(folder, { recursive: true, force: true })
  }
}

function listParents(path: Bytes): readonly Bytes[] {
  const parts = path.split('/')
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
