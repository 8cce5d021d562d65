import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { share } from '../../test/share.ts'
import type { TreeId } from '../loop/index.ts'
import { memoryBlobs } from '../testing/memory-blobs.ts'
import { createDirectoryWorkspace } from './directory.ts'
import { createTrees, type DirectoryTrees, type TreeDifference } from './trees.ts'

type Thing =
  | { readonly type: 'file'; readonly content: string; readonly mode: number }
  | { readonly type: 'link'; readonly target: string }
  | Folder
interface Folder {
  readonly type: 'folder'
  readonly mode: number
  readonly things: readonly (readonly [name: string, Thing])[]
}

// Few names, so that trees overlap; unusual ones, because they exist in practice.
const names = fc.constantFrom('a', 'b', 'c', 'A', 'a b', '%41', 'ü', '-', '\n', '...', '\u2028')
const things: fc.Arbitrary<Thing> = fc.letrec<{ thing: Thing; folder: Folder }>((tie) => ({
  thing: fc.oneof(
    { maxDepth: 4 },
    fc.record({
      type: fc.constant('file' as const),
      content: fc.constantFrom('', 'x', 'y', 'long '.repeat(500)),
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o744, 0o400, 0o777),
    }),
    fc.record({
      type: fc.constant('link' as const),
      target: fc.constantFrom('a', './a', '/nonexistent/loopwright', '.', 'ü \n%'),
    }),
    tie('folder'),
  ),
  folder: fc.record({
    type: fc.constant('folder' as const),
    mode: fc.constantFrom(0o755, 0o700, 0o777, 0o500),
    things: fc.uniqueArray(fc.tuple(names, tie('thing')), {
      selector: ([name]) => name,
      maxLength: 5,
    }),
  }),
})).thing
const roots: fc.Arbitrary<Folder> = fc.record({
  type: fc.constant('folder' as const),
  mode: fc.constant(0o755),
  things: fc.uniqueArray(fc.tuple(names, things), { selector: ([name]) => name, maxLength: 7 }),
})

/** Creates it with plain file system calls. */
async function make(path: string, thing: Thing): Promise<void> {
  if (thing.type === 'link') await symlink(thing.target, path)
  else if (thing.type === 'file') {
    await writeFile(path, thing.content)
    await chmod(path, thing.mode)
  } else {
    await mkdir(path)
    for (const [name, inner] of thing.things) await make(join(path, name), inner)
    await chmod(path, thing.mode)
  }
}

/** Removes it with plain file system calls. */
async function clear(path: string, thing: Thing): Promise<void> {
  if (thing.type === 'folder') await makeWritable(path, thing)
  await rm(path, { recursive: true, force: true })
}

async function makeWritable(path: string, folder: Folder): Promise<void> {
  await chmod(path, 0o700)
  for (const [name, inner] of folder.things) {
    if (inner.type === 'folder') await makeWritable(join(path, name), inner)
  }
}

type Leaves = ReadonlyMap<string, string>

/** The expected files and symlinks of a tree. */
function expected(folder: Folder, path = ''): [string, string][] {
  return folder.things.flatMap(([name, thing]): [string, string][] => {
    const at = path === '' ? name : `${path}/${name}`
    if (thing.type === 'link') return [[at, `link ${thing.target}`]]
    if (thing.type === 'folder') return expected(thing, at)
    const mode = (thing.mode & 0o100) === 0 ? 'file' : 'executable'
    return [[at, `${mode} ${createHash('sha256').update(thing.content).digest('hex')}`]]
  })
}

async function listLeaves(trees: DirectoryTrees, tree: TreeId): Promise<Leaves> {
  const leaves = new Map<string, string>()
  for await (const item of trees.readTree(tree)) {
    if (item.mode === 'link') leaves.set(item.path, `link ${item.target}`)
    else if (item.mode !== 'directory') leaves.set(item.path, `${item.mode} ${item.blob}`)
  }
  return leaves
}

function difference(before: Leaves, after: Leaves): TreeDifference {
  const both = [...before.keys()].filter((path) => after.has(path))
  return {
    added: [...after.keys()].filter((path) => !before.has(path)),
    changed: both.filter((path) => before.get(path) !== after.get(path)),
    removed: [...before.keys()].filter((path) => !after.has(path)),
  }
}

const isNoFolder = (path: string) => !path.endsWith('/')
const withoutFolders = ({ added, changed, removed }: TreeDifference): TreeDifference => ({
  added: added.filter(isNoFolder),
  changed,
  removed: removed.filter(isNoFolder),
})

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-any-tree-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a restore brings back a directory, however it was changed', async () => {
  const path = join(folder, 'work')
  await fc.assert(
    fc.asyncProperty(roots, roots, async (before, after) => {
      const blobs = memoryBlobs()
      const trees = createTrees(blobs)
      const workspace = createDirectoryWorkspace({ path, blobs })
      await make(path, before)
      const first = await workspace.snapshot()
      await clear(path, before)
      await make(path, after)
      const second = await workspace.snapshot()

      await workspace.restore(first)
      expect(await workspace.snapshot()).toBe(first)
      // And again, by a workspace without a cache.
      const fresh = createDirectoryWorkspace({ path, blobs })
      await fresh.restore(second)
      expect(await fresh.snapshot()).toBe(second)
      await rm(path, { recursive: true })

      const [were, are] = [await listLeaves(trees, first), await listLeaves(trees, second)]
      expect(were).toEqual(new Map(expected(before)))
      expect(are).toEqual(new Map(expected(after)))
      expect(withoutFolders(await trees.diffTrees(first, second))).toEqual(difference(were, are))
    }),
    { numRuns: share(150, 30) },
  )
})
