/**
 * Whether files, or a commit, are exactly a tree: everything is read and hashed anew, nothing that was
 * remembered counts, and nothing is written. For whoever verifies a certificate.
 */

import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import type { Blobs } from '../engine/index.ts'
import { type ArtifactContent, type BlobId, LoopError, type TreeId } from '../loop/index.ts'
import { type Bytes, show } from './bytes.ts'
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
import { commitOf, isObjectId } from './git/refs.ts'
import { findRepository, type Repository } from './git/repository.ts'
import { runGit } from './git/run-git.ts'
import { hasCode } from './place.ts'
import { createTrees } from './trees.ts'

export interface CompareRequest {
  readonly folder: string
  readonly tree: TreeId
  /** What has to be this tree; by any name that git has for it. Without: the files of the folder. */
  readonly commit?: string
  /** A commit that is known to have this tree: where it is here, it must be as it was. */
  readonly known?: string
  /** Paths of the folder that are no part of the tree. */
  readonly apart?: readonly string[]
  /** Where the tree itself may be kept, to say which files of a plain folder differ. */
  readonly blobs?: Blobs
}

export type TreeComparison =
  | {
      readonly status: 'same'
      readonly what: 'files' | 'commit'
      readonly notPart: readonly string[]
    }
  | {
      readonly status: 'differs'
      readonly changed: readonly string[]
      readonly missing: readonly string[]
      readonly added: readonly string[]
      /** The tree is not here: what differs cannot be said. */
      readonly isUnknown?: true
    }
  /** The repository cannot say what the tree is. */
  | { readonly status: 'damaged'; readonly why: string; readonly path?: string }

export async function compareWithTree(request: CompareRequest): Promise<TreeComparison> {
  if (!isGitTree(request.tree)) return compareDirectory(request)
  const repository = await findRepository(request.folder)
  try {
    return await compareInGit(repository, request)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) {
      const advice = 'Make it accessible, then try again.'
      const message = `${request.folder} cannot be read as a whole. ${advice}`
      throw new LoopError('workspace-failed', message, { cause: error })
    }
    if (!(error instanceof ObjectError)) throw error
    const { message, path } = error
    return {
      status: 'damaged',
      why: message,
      ...(path === undefined ? {} : { path: show(path) }),
    }
  }
}

async function compareInGit(
  repository: Repository,
  { tree, commit, known, apart = [] }: CompareRequest,
): Promise<TreeComparison> {
  const wanted = fromTreeId(tree)
  if (known !== undefined && !isObjectId(known)) throw new ObjectError(`${known} is no commit`)
  if (known !== undefined && (await hasObject(runGit, repository, known))) {
    const found = await treeOfCommit(repository, known)
    if (found !== wanted) throw new ObjectError(`the commit ${known} has another tree`)
  }
  const entries = await readWholeTree(runGit, repository, wanted)
  await requireBlobs(runGit, repository, wanted, entries)
  if (commit !== undefined) {
    const found = await treeOfCommit(repository, commit)
    if (found === wanted) return { status: 'same', what: 'commit', notPart: [] }
    return {
      status: 'differs',
      ...differing(entries, await readWholeTree(runGit, repository, found)),
    }
  }
  const { checkout } = repository
  if (checkout === undefined) {
    const advice = 'Name the commit that is to be looked at: --commit <name>.'
    throw new LoopError('bad-request', `${repository.home} has no files, only commits. ${advice}`)
  }
  const { notPart, ...rest } = await compareCheckout(runGit, repository, checkout, entries, apart)
  if (Object.values(rest).every((paths) => paths.length === 0)) {
    return { status: 'same', what: 'files', notPart: shown(notPart) }
  }
  return {
    status: 'differs',
    changed: shown(rest.changed),
    missing: shown(rest.missing),
    added: shown(rest.added),
  }
}

async function treeOfCommit(repository: Repository, name: string): Promise<string> {
  const id = isObjectId(name) ? name : await commitOf(runGit, repository, name)
  if (id === undefined) {
    const advice = 'Fetch it, or name another.'
    throw new LoopError('unknown-artifact', `${repository.home} has no commit ${name}. ${advice}`)
  }
  const { type, content } = await readObject(runGit, repository, id)
  const tree = /^tree ([0-9a-f]{40,64})\n/.exec(content.toString('latin1'))?.[1]
  if (type === 'commit' && tree !== undefined) return tree
  throw new LoopError('bad-request', `${name} is no commit. Name one.`)
}

type Entries = Awaited<ReturnType<typeof readWholeTree>>

function differing(
  before: Entries,
  after: Entries,
): { readonly changed: string[]; readonly missing: string[]; readonly added: string[] } {
  const is = (path: Bytes): boolean => {
    const [was, now] = [before.get(path), after.get(path)]
    return was?.id === now?.id && was?.mode === now?.mode
  }
  const [old, made] = [[...before.keys()], [...after.keys()]]
  return {
    changed: shown(old.filter((path) => after.has(path) && !is(path))),
    missing: shown(old.filter((path) => !after.has(path))),
    added: shown(made.filter((path) => !before.has(path))),
  }
}

const shown = (paths: readonly Bytes[]): string[] => paths.map((path) => show(path))

async function compareDirectory(request: CompareRequest): Promise<TreeComparison> {
  const { tree, apart = [], blobs, commit } = request
  if (commit !== undefined) {
    const advice = 'Compare the files of a folder: without --commit.'
    throw new LoopError('bad-request', `${tree} is the tree of a plain folder. ${advice}`)
  }
  const path = await realpath(request.folder)
  const texts = hashingBlobs(blobs)
  const workspace = createDirectoryWorkspace({ path, blobs: texts, exclude: ['.git', ...apart] })
  const found = await workspace.snapshot()
  if (found === tree) return { status: 'same', what: 'files', notPart: apart }
  try {
    const { added, changed, removed } = await createTrees(texts).diffTrees(tree, found)
    return { status: 'differs', changed, missing: removed, added }
  } catch {
    return { status: 'differs', changed: [], missing: [], added: [], isUnknown: true }
  }
}

const treeBytesMax = 16 * 1024 * 1024
const header = 'loopwright-tree 1\n'

/** Hashes what it is given, and keeps nothing of it but what trees are made of. */
function hashingBlobs(known: Blobs | undefined): Blobs {
  const kept = new Map<BlobId, Buffer>()
  return {
    async put(content) {
      const hash = createHash('sha256')
      let bytes = 0
      for await (const chunk of chunksOf(content)) {
        hash.update(chunk)
        bytes += chunk.length
      }
      const blob = hash.digest('hex') as BlobId
      if (typeof content === 'string' && content.startsWith(header) && bytes <= treeBytesMax) {
        kept.set(blob, Buffer.from(content))
      }
      return { blob, bytes }
    },
    async get(blob) {
      const found = kept.get(blob) ?? (await known?.get(blob))
      if (found !== undefined) return found
      throw new LoopError(
        'unknown-artifact',
        `${blob} is not here. Only its hash was looked at. Read it from its store.`,
      )
    },
    async *stream(blob) {
      yield await this.get(blob)
    },
  }
}

async function* chunksOf(content: ArtifactContent): AsyncGenerator<Uint8Array> {
  if (typeof content === 'string') yield Buffer.from(content)
  else if (content instanceof Uint8Array) yield content
  else yield* content
}
