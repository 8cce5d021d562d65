/**
 * Reads objects of a repository and verifies their hashes, without trusting git: an object matches its id, or it
 * is damaged.
 */

import { createHash } from 'node:crypto'
import { type Bytes, joinBytes } from '../bytes.ts'
import { treeTimeoutMs } from '../worktree/work-tree.ts'
import type { ObjectId } from './refs.ts'
import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'
import { GitError } from './run-program.ts'
import { sessionOutputBytesMax } from './session-calls.ts'

export interface GitObject {
  readonly type: string
  readonly content: Buffer
}

export interface GitEntry {
  readonly mode: string
  readonly id: ObjectId
}

/** The object is missing, or does not match its id. */
export class ObjectError extends Error {
  readonly path: Bytes | undefined
  constructor(message: string, path?: Bytes) {
    super(message)
    this.name = 'ObjectError'
    this.path = path
  }
}

const outputBytesMax = 512 * 1024 * 1024
const depthMax = 1000

export const objectHash = (
  { objectFormat }: Pick<Repository, 'objectFormat'>,
  type: string,
  bytes: number,
): ReturnType<typeof createHash> => createHash(objectFormat).update(`${type} ${bytes}\0`)

/** Rejects with `ObjectError`. */
export async function readObject(
  git: RunGit,
  repository: Repository,
  id: ObjectId,
): Promise<GitObject> {
  const found = (await readObjects(git, repository, [id])).get(id)
  if (found === undefined) throw new ObjectError(`there is no object ${id}`)
  return found
}

/** Whether the repository has an object with this id, damaged or not. */
export async function hasObject(
  git: RunGit,
  { commonDir }: Repository,
  id: ObjectId,
): Promise<boolean> {
  const { stdout } = await git({
    at: { gitDir: commonDir },
    command: 'cat-file',
    options: ['--batch-check=%(objectname)'],
    input: Buffer.from(`${id}\n`, 'latin1'),
  })
  return stdout.toString('latin1').trim() === id
}

/** All files, symlinks and submodules of a tree by path. Rejects with `ObjectError`. */
export const readWholeTree = async (
  git: RunGit,
  repository: Repository,
  tree: ObjectId,
): Promise<ReadonlyMap<Bytes, GitEntry>> =>
  walkTree(tree, (ids) => readObjects(git, repository, ids))

/** The same without a process of its own, sorted by path. Undefined if the tree is large or cannot be read. */
export async function readSmallTree(
  git: RunGit,
  repository: Repository,
  tree: ObjectId,
): Promise<ReadonlyMap<Bytes, GitEntry> | undefined> {
  try {
    const found = await walkTree(tree, async (ids) => {
      if (ids.length > smallLevelMax) throw new ObjectError('the tree is large')
      const objects = new Map<ObjectId, GitObject>()
      for (let at = 0; at < ids.length; at += sessionIdsMax) {
        const { stdout } = await git({
          at: { gitDir: repository.commonDir },
          command: 'cat-file',
          options: ['--batch'],
          input: toLines(ids.slice(at, at + sessionIdsMax)),
          outputBytesMax: sessionOutputBytesMax,
        })
        for (const [id, object] of parseObjects(repository, stdout)) objects.set(id, object)
      }
      return objects
    })
    return new Map([...found].toSorted(([one], [two]) => (one < two ? -1 : 1)))
  } catch (error) {
    if (error instanceof ObjectError || error instanceof GitError) return undefined
    throw error
  }
}

/** In one call: longer inputs get a process for themselves. */
const sessionIdsMax = 200
/** Folders at one depth. Above it, one process that lists everything is faster. */
const smallLevelMax = 1000

const toLines = (ids: readonly ObjectId[]): Buffer =>
  Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1')

async function walkTree(
  tree: ObjectId,
  read: (ids: readonly ObjectId[]) => Promise<ReadonlyMap<ObjectId, GitObject>>,
): Promise<ReadonlyMap<Bytes, GitEntry>> {
  const found = new Map<Bytes, GitEntry>()
  let level: readonly (readonly [Bytes, ObjectId])[] = [['', tree]]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) throw new ObjectError('the tree is too deep')
    const objects = await read([...new Set(level.map(([, id]) => id))])
    const below: (readonly [Bytes, ObjectId])[] = []
    for (const [folder, id] of level) {
      const object = objects.get(id)
      if (object?.type !== 'tree') throw new ObjectError(`${id} is not a tree`, folder)
      for (const [name, entry] of parseEntries(object.content, id.length / 2)) {
        const path = joinBytes(folder, name)
        if (entry.mode === '40000') below.push([path, entry.id])
        else found.set(path, entry)
      }
    }
    level = below
  }
  return found
}

/** Verifies the content of every file. Rejects with `ObjectError`. */
export async function requireBlobs(
  git: RunGit,
  { commonDir }: Repository,
  tree: ObjectId,
  entries: ReadonlyMap<Bytes, GitEntry>,
): Promise<void> {
  const { exitCode, stderr } = await git({
    at: { gitDir: commonDir },
    command: 'rev-list',
    options: ['--objects', '--verify-objects', '--quiet', '--stdin'],
    input: Buffer.from(`${tree}\n`, 'latin1'),
    answers: [0, 1, 128],
    timeoutMs: treeTimeoutMs,
  })
  if (exitCode === 0 && stderr === '') return
  const named = new Set(stderr.match(/[0-9a-f]{40,64}/g))
  const [path] = [...entries].find(([, { id }]) => named.has(id)) ?? []
  throw new ObjectError(stderr.split('\n')[0] ?? 'an object is damaged', path)
}

async function readObjects(
  git: RunGit,
  repository: Repository,
  ids: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, GitObject>> {
  const { stdout } = await git({
    at: { gitDir: repository.commonDir },
    command: 'cat-file',
    options: ['--batch', '--buffer'],
    input: toLines(ids),
    outputBytesMax,
    timeoutMs: treeTimeoutMs,
  }).catch((error: unknown) => {
    throw error instanceof GitError ? new ObjectError(error.message) : error
  })
  return parseObjects(repository, stdout)
}

function parseObjects(repository: Repository, stdout: Buffer): ReadonlyMap<ObjectId, GitObject> {
  const found = new Map<ObjectId, GitObject>()
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(10, at)
    const [id = '', type = '', size = ''] = stdout.toString('latin1', at, end).split(' ')
    const bytes = Number(size)
    if (!/^\d+$/.test(size)) throw new ObjectError(`${id} is missing`)
    const content = stdout.subarray(end + 1, end + 1 + bytes)
    const hash = objectHash(repository, type, content.length).update(content).digest('hex')
    if (hash !== id) throw new ObjectError(`${id} is damaged`)
    found.set(id, { type, content })
    at = end + 1 + bytes + 1
  }
  return found
}

/** A sequence of `<mode> <name>`, NUL, and the bytes of the id. */
function* parseEntries(content: Buffer, idBytes: number): Generator<readonly [Bytes, GitEntry]> {
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(0, at)
    const [mode = '', ...name] = content.toString('latin1', at, end).split(' ')
    const id = content.toString('hex', end + 1, end + 1 + idBytes)
    yield [name.join(' '), { mode, id }]
    at = end + 1 + idBytes
  }
}
