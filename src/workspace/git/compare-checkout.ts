/**
 * The files of a checkout beside a tree, as they are on disk: each is read and hashed, whatever git
 * remembers of them. Nothing is written, neither to the checkout nor to the repository.
 *
 * What is ignored, a `.git` in a folder, and submodules are no part of a tree: they are named.
 */

import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { inTemporary, makeTemporaryFolder } from '../../system/index.ts'
import { type Bytes, fromText, inside } from '../bytes.ts'
import { createExclusions } from '../exclusions.ts'
import { inParallel } from '../in-parallel.ts'
import { type Folder, linkTarget, look, namesIn, width } from '../place.ts'
import { piecesOf } from '../read-file.ts'
import { ignoredOf } from './list-changes.ts'
import { makeOwnDirectory } from './own-directory.ts'
import { type GitEntry, objectHash } from './read-objects.ts'
import type { Repository } from './repository.ts'
import { isReserved } from './reserved-names.ts'
import type { GitPlace, RunGit } from './run-git.ts'
import { type WorktreeFiles, worktreeFiles } from './worktree-files.ts'

export interface CheckoutDifference {
  readonly changed: readonly Bytes[]
  readonly missing: readonly Bytes[]
  readonly added: readonly Bytes[]
  /** Folders have a slash at their end. */
  readonly notPart: readonly Bytes[]
}

interface Looked extends Folder {
  readonly repository: Repository
  readonly git: RunGit
  readonly files: WorktreeFiles
}

export async function compareCheckout(
  git: RunGit,
  repository: Repository,
  checkout: string,
  entries: ReadonlyMap<Bytes, GitEntry>,
  apart: readonly string[],
): Promise<CheckoutDifference> {
  const looked: Looked = { root: fromText(checkout), files: worktreeFiles, repository, git }
  const changed: Bytes[] = []
  const missing: Bytes[] = []
  const notPart: Bytes[] = []
  const folders = new Set([...entries.keys()].flatMap(parentsOf))
  // Behind a link there could be the same files, and others tomorrow.
  const replaced = await notFolders(looked, folders)
  await inParallel([...entries], width, async ([path, entry]) => {
    if (parentsOf(path).some((folder) => replaced.has(folder))) missing.push(path)
    else if (entry.mode === '160000') notPart.push(`${path}/`)
    else if ((await look(looked, path)) === undefined) missing.push(path)
    else if (!(await isSame(looked, path, entry))) changed.push(path)
  })
  const others = await notInTree(looked, entries, folders, apart)
  return {
    changed: [...changed, ...replaced].toSorted(),
    missing: missing.toSorted(),
    added: others.added.toSorted(),
    notPart: [...notPart, ...others.notPart].toSorted(),
  }
}

async function isSame(looked: Looked, path: Bytes, { mode, id }: GitEntry): Promise<boolean> {
  const seen = await look(looked, path)
  if (seen === undefined) return false
  if (mode === '120000') {
    if (!seen.isSymbolicLink()) return false
    const target = Buffer.from(await linkTarget(looked, path), 'latin1')
    return objectHash(looked.repository, 'blob', target.length).update(target).digest('hex') === id
  }
  const isExecutable = (seen.mode & 0o100n) !== 0n
  if (!seen.isFile() || isExecutable !== (mode === '100755')) return false
  const hash = objectHash(looked.repository, 'blob', Number(seen.size))
  for await (const piece of piecesOf(looked, path, seen)) hash.update(piece)
  return hash.digest('hex') === id
}

/** Whatever lies there besides. A folder that is ignored is not entered. */
async function notInTree(
  looked: Looked,
  entries: ReadonlyMap<Bytes, GitEntry>,
  folders: ReadonlySet<Bytes>,
  apart: readonly string[],
): Promise<{ readonly added: readonly Bytes[]; readonly notPart: readonly Bytes[] }> {
  const exclusions = createExclusions(apart)
  const added: Bytes[] = []
  const notPart: Bytes[] = []
  return withRules(looked, async (rules) => {
    let level: readonly Bytes[] = ['']
    while (level.length > 0) {
      const below: Bytes[] = []
      const unknown: Bytes[] = []
      for (const folder of level) {
        for (const name of await namesIn(looked, folder)) {
          const path = inside(folder, name)
          // What git keeps of the checkout itself.
          if (path === '.git') continue
          if (exclusions.has(path) || isReserved(path)) notPart.push(path)
          else if (folders.has(path)) {
            if ((await look(looked, path))?.isDirectory() === true) below.push(path)
          } else if (!entries.has(path)) unknown.push(path)
        }
      }
      const ignored = await ignoredOf(looked, rules, unknown)
      for (const path of unknown) {
        const isFolder = (await look(looked, path))?.isDirectory() === true
        if (ignored.has(path)) notPart.push(isFolder ? `${path}/` : path)
        else if (isFolder) below.push(path)
        else added.push(path)
      }
      level = below
    }
    return { added, notPart }
  })
}

/** Of the folders of a tree, those in whose place something else lies. */
async function notFolders(
  looked: Looked,
  folders: ReadonlySet<Bytes>,
): Promise<ReadonlySet<Bytes>> {
  const found = new Set<Bytes>()
  // What is above comes first.
  for (const folder of [...folders].toSorted()) {
    if (parentsOf(folder).some((parent) => found.has(parent))) continue
    const seen = await look(looked, folder)
    if (seen !== undefined && !seen.isDirectory()) found.add(folder)
  }
  return found
}

/** The rules of what is ignored, without the repository's settings and without writing to it. */
async function withRules<T>(
  { repository, root, files }: Looked,
  work: (rules: GitPlace) => Promise<T>,
): Promise<T> {
  const folder = await realpath(await makeTemporaryFolder('loopwright-verify-'))
  try {
    const path = join(folder, 'rules')
    const own = await inTemporary(folder, () =>
      makeOwnDirectory(files, { repository, path, exact: true }),
    )
    return await work(own.at(Buffer.from(root, 'latin1').toString('utf8')))
  } finally {
    await files.rm(folder, { recursive: true, force: true })
  }
}

function parentsOf(path: Bytes): readonly Bytes[] {
  const parts = path.split('/')
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
