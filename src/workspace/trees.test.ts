import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryBlobs } from '../testing/memory-blobs.ts'
import { createDirectoryWorkspace } from './directory.ts'
import { toBlobId } from './tree-object.ts'
import { createTrees } from './trees.ts'

let path: string
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'loopwright-trees-'))
})
afterEach(() => rm(path, { recursive: true, force: true }))

const write = async (name: string, content = name) => {
  await mkdir(dirname(join(path, name)), { recursive: true })
  await writeFile(join(path, name), content)
}

test('reachable lists all blobs of a tree, each once', async () => {
  const blobs = memoryBlobs()
  for (const name of ['a', 'b/c', 'b/d/e']) await write(name)
  await write('b/twice', 'a')
  await symlink('a', join(path, 'link'))
  const tree = await createDirectoryWorkspace({ path, blobs }).snapshot()
  const reached: string[] = []
  for await (const blob of createTrees(blobs).reachable(tree)) reached.push(blob)
  expect(reached[0]).toBe(toBlobId(tree))
  expect(reached.toSorted()).toEqual([...blobs.contents.keys()].toSorted())
})

test('reachable skips what is in seen', async () => {
  const blobs = memoryBlobs()
  const workspace = createDirectoryWorkspace({ path, blobs })
  for (const name of ['a', 'b/c', 'b/d/e']) await write(name)
  const first = await workspace.snapshot()
  await write('a', 'changed')
  const second = await workspace.snapshot()
  const read: string[] = []
  const get: typeof blobs.get = (blob) => {
    read.push(blob)
    return blobs.get(blob)
  }
  const trees = createTrees({ ...blobs, get })
  const seen = new Set<string>()
  const reached: string[] = []
  for (const tree of [first, second]) {
    for await (const blob of trees.reachable(tree, seen)) reached.push(blob)
  }
  expect(read).toHaveLength(4)
  expect(reached.toSorted()).toEqual([...blobs.contents.keys()].toSorted())
})

test('diffTrees compares files, symlinks and empty directories', async () => {
  const blobs = memoryBlobs()
  const workspace = createDirectoryWorkspace({ path, blobs })
  for (const name of ['same/x', 'changed', 'gone/deep/er', 'swap']) await write(name)
  await mkdir(join(path, 'empty'))
  await symlink('a', join(path, 'link'))
  const before = await workspace.snapshot()
  for (const name of ['gone', 'swap', 'link', 'empty']) {
    await rm(join(path, name), { recursive: true })
  }
  await write('changed', 'otherwise')
  await write('swap/inner')
  await symlink('b', join(path, 'link'))
  await mkdir(join(path, 'new', 'void'), { recursive: true })
  const after = await workspace.snapshot()
  const trees = createTrees(blobs)
  expect(await trees.diffTrees(before, after)).toEqual({
    added: ['new/void/', 'swap/inner'],
    changed: ['changed', 'link'],
    removed: ['empty/', 'gone/deep/er', 'swap'],
  })
  const backwards = await trees.diffTrees(after, before)
  expect(backwards.added).toEqual(['empty/', 'gone/deep/er', 'swap'])
  expect(await trees.diffTrees(after, after)).toEqual({ added: [], changed: [], removed: [] })
})
