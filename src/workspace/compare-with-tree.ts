/**
 * Checks whether files, or a commit, match a tree exactly, to verify a certificate. Reads and hashes everything
 * again, uses no cache, and writes nothing.
 */

import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { Blobs } from '../engine/index.ts'
import { type ArtifactContent, type BlobId, LoopError, type TreeId } from '../loop/index.ts'
import { type Bytes, toDisplay } from './bytes.ts'
import { createDirectoryWorkspace } from './directory.ts'
import { compareCheckout } from './git/compare-checkout.ts'
import { fromTreeId, isGitTree } from './git/git-tree-id.ts'
import {
  hasObject,
  ObjectError,
  readObject,
  readWholeTree,
  requireBlobs,
} from './git/read-objects.ts'
import { isObjectId, resolveCommit } from './git/refs.ts'
import { findRepository, type Repository } from './git/repository.ts'
import { runGit } from './git/run-git.ts'
import { createTrees } from './trees.ts'
import { hasCode } from './workspace-directory.ts'

export interface CompareRequest {
  readonly folder: string
  readonly tree: TreeId
  /** The commit to compare, by any name that git accepts. Default: the files of the folder. */
  readonly commit?: string
  /** A commit that is known to have this tree: if the repository has it, its tree must match. */
  readonly known?: string
  /** Paths of the folder that are not part of the tree. */
  readonly excludedPaths?: readonly string[]
  /** May contain the tree, to report which files of a plain folder differ. */
  readonly blobs?: Blobs
}

export type TreeComparison =
  | {
      readonly status: 'same'
      readonly what: 'files' | 'commit'
      readonly notInTree: readonly string[]
    }
  | {
      readonly status: 'differs'
      readonly changed: readonly string[]
      readonly missing: readonly string[]
      readonly added: readonly string[]
      /** The tree is not available, so the differing files are unknown. */
      readonly isUnknown?: true
    }
  /** The repository cannot provide the tree. */
  | { readonly status: 'damaged'; readonly why: string; readonly path?: string }

export async function compareWithTree(request: CompareRequest): Promise<TreeComparison> {
  if (!isGitTree(request.tree)) return compareDirectory(request)
  const repository = await findRepository(request.folder)
  try {
    return await compareInGit(repository, request)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) {
      const advice = 'Make it accessible, then try again.'
      const message = `Part of ${request.folder} cannot be read. ${advice}`
      throw new LoopError('workspace-failed', message, { cause: error })
    }
    if (!(error instanceof ObjectError)) throw error
    const { message, path } = error
    return {
      status: 'damaged',
      why: message,
      ...(path === undefined ? {} : { path: toDisplay(path) }),
    }
  }
}

async function compareInGit(
  repository: Repository,
  { tree, commit, known, excludedPaths = [] }: CompareRequest,
): Promise<TreeComparison> {
  const wanted = fromTreeId(tree)
  if (known !== undefined && !isObjectId(known))
    throw new ObjectError(`${known} is not a commit id`)
  if (known !== undefined && (await hasObject(runGit, repository, known))) {
    const found = await readCommitTree(repository, known)
    if (found !== wanted) throw new ObjectError(`the commit ${known} has a different tree`)
  }
  const entries = await readWholeTree(runGit, repository, wanted)
  const verified = requireBlobs(runGit, repository, wanted, entries)
  if (commit !== undefined) {
    await verified
    const found = await readCommitTree(repository, commit)
    if (found === wanted) return { status: 'same', what: 'commit', notInTree: [] }
    return {
      status: 'differs',
      ...diffEntries(entries, await readWholeTree(runGit, repository, found)),
    }
  }
  const { checkout } = repository
  if (checkout === undefined) {
    await verified
    const advice = 'Pass the commit to compare: --commit <name>'
    throw new LoopError('bad-request', `${repository.home} is a bare repository. ${advice}`)
  }
  // git reads its objects while the files are hashed here; damaged objects are reported first.
  const comparing = compareCheckout(runGit, repository, checkout, entries, excludedPaths)
  comparing.catch(() => undefined)
  await verified
  const { notInTree, ...rest } = await comparing
  if (Object.values(rest).every((paths) => paths.length === 0)) {
    return { status: 'same', what: 'files', notInTree: toDisplayPaths(notInTree) }
  }
  return {
    status: 'differs',
    changed: toDisplayPaths(rest.changed),
    missing: toDisplayPaths(rest.missing),
    added: toDisplayPaths(rest.added),
  }
}

async function readCommitTree(repository: Repository, name: string): Promise<string> {
  const id = isObjectId(name) ? name : await resolveCommit(runGit, repository, name)
  if (id === undefined) {
    const advice = 'Fetch it, or use another commit.'
    throw new LoopError('unknown-artifact', `${repository.home} has no commit ${name}. ${advice}`)
  }
  const { type, content } = await readObject(runGit, repository, id)
  const tree = /^tree ([0-9a-f]{40,64})\n/.exec(content.toString('latin1'))?.[1]
  if (type === 'commit' && tree !== undefined) return tree
  throw new LoopError('bad-request', `${name} is not a commit. Use the name or id of a commit.`)
}

type Entries = Awaited<ReturnType<typeof readWholeTree>>

function diffEntries(
  before: Entries,
  after: Entries,
): { readonly changed: string[]; readonly missing: string[]; readonly added: string[] } {
  const isSame = (path: Bytes): boolean => {
    const [old, current] = [before.get(path), after.get(path)]
    return old?.id === current?.id && old?.mode === current?.mode
  }
  const [oldPaths, newPaths] = [[...before.keys()], [...after.keys()]]
  return {
    changed: toDisplayPaths(oldPaths.filter((path) => after.has(path) && !isSame(path))),
    missing: toDisplayPaths(oldPaths.filter((path) => !after.has(path))),
    added: toDisplayPaths(newPaths.filter((path) => !before.has(path))),
  }
}

const toDisplayPaths = (paths: readonly Bytes[]): string[] => paths.map((path) => toDisplay(path))

async function compareDirectory(request: CompareRequest): Promise<TreeComparison> {
  const { tree, excludedPaths = [], blobs, commit } = request
  if (commit !== undefined) {
    const advice = 'Compare the files of the folder: omit --commit.'
    throw new LoopError('bad-request', `${tree} is the tree of a folder without git. ${advice}`)
  }
  const path = await realpath(request.folder)
  const hashing = createHashingBlobs(blobs)
  const workspace = createDirectoryWorkspace({
    path,
    blobs: hashing,
    exclude: ['.git', ...excludedPaths],
  })
  const found = await workspace.snapshot()
  if (found === tree) return { status: 'same', what: 'files', notInTree: excludedPaths }
  try {
    const { added, changed, removed } = await createTrees(hashing).diffTrees(tree, found)
    return { status: 'differs', changed, missing: removed, added }
  } catch {
    return { status: 'differs', changed: [], missing: [], added: [], isUnknown: true }
  }
}

const treeBytesMax = 16 * 1024 * 1024
const header = 'loopwright-tree 1\n'

/** Hashes all content, and keeps only tree objects. */
function createHashingBlobs(known: Blobs | undefined): Blobs {
  const trees = new Map<BlobId, Buffer>()
  return {
    async put(content) {
      const hash = createHash('sha256')
      let bytes = 0
      for await (const chunk of toChunks(content)) {
        hash.update(chunk)
        bytes += chunk.length
      }
      const blob = hash.digest('hex') as BlobId
      if (typeof content === 'string' && content.startsWith(header) && bytes <= treeBytesMax) {
        trees.set(blob, Buffer.from(content))
      }
      return { blob, bytes }
    },
    async get(blob) {
      const found = trees.get(blob) ?? (await known?.get(blob))
      if (found !== undefined) return found
      throw new LoopError(
        'unknown-artifact',
        `The content of ${blob} was only hashed, not stored. Read it from its store.`,
      )
    },
    async *stream(blob) {
      yield await this.get(blob)
    },
  }
}

async function* toChunks(content: ArtifactContent): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content)
  else if (content instanceof Uint8Array) yield content
  else yield* content
}
