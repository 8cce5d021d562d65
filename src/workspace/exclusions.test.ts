import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Workspace } from '../engine/index.ts'
import { defined, type TreeId } from '../loop/index.ts'
import { memoryBlobs } from '../testing/memory-blobs.ts'
import { createDirectoryWorkspace } from './directory.ts'
import { computeTreeId, toBlobId } from './tree-object.ts'
import { createTrees } from './trees.ts'

let folder: string
let path: string
let blobs: ReturnType<typeof memoryBlobs>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-excluded-'))
  path = join(folder, 'work')
  await mkdir(path)
  blobs = memoryBlobs()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (exclude?: readonly string[]): Workspace =>
  createDirectoryWorkspace({ path, blobs, ...defined({ exclude }) })

const inWork = (...names: string[]) => join(path, ...names)
const write = async (name: string) => {
  await mkdir(dirname(inWork(name)), { recursive: true })
  await writeFile(inWork(name), name)
}

async function listTree(tree: TreeId): Promise<string[]> {
  const paths: string[] = []
  for await (const item of createTrees(blobs).readTree(tree)) paths.push(item.path)
  return paths
}

describe('excluded paths', () => {
  test('are not part of a tree: .git at any depth, others only at their exact path', async () => {
    for (const name of ['.git/config', 'sub/.git', 'cache/x', 'sub/cache', 'keep'])
      await write(name)
    expect(await listTree(await open(['cache']).snapshot())).toEqual(['keep', 'sub', 'sub/cache'])
    const all = ['cache', 'cache/x', 'keep', 'sub', 'sub/cache']
    expect(await listTree(await open().snapshot())).toEqual(all)
  })

  test('are not changed by a restore', async () => {
    await write('a')
    const workspace = open(['./build/cache/', 'tmp'])
    const tree = await workspace.snapshot()
    for (const name of ['.git/HEAD', 'build/cache/x', 'build/out', 'tmp', 'b']) await write(name)
    await workspace.restore(tree)
    expect((await readdir(path)).toSorted()).toEqual(['.git', 'a', 'build', 'tmp'])
    expect(await readdir(inWork('build'))).toEqual(['cache'])
    expect(await readFile(inWork('build', 'cache', 'x'), 'utf8')).toBe('build/cache/x')
    expect(await workspace.snapshot()).toBe(tree)
  })

  test('do not add their parent folders to a tree', async () => {
    const workspace = open(['build/cache'])
    const tree = await workspace.snapshot()
    await mkdir(inWork('build'))
    expect(await workspace.snapshot()).toBe(tree)
    await write('build/cache')
    expect(await workspace.snapshot()).toBe(tree)
    await write('build/out')
    expect(await workspace.snapshot()).not.toBe(tree)
  })

  test('that conflict with a file stop the restore with advice', async () => {
    await write('build')
    const workspace = open(['build/cache'])
    const tree = await workspace.snapshot()
    await rm(inWork('build'))
    await write('build/cache/x')
    await expect(workspace.restore(tree)).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringContaining('Move the excluded paths in it'),
    })
    expect(await readFile(inWork('build', 'cache', 'x'), 'utf8')).toBe('build/cache/x')
  })

  test('in an imported tree are not written', async () => {
    await write('hooks/pre-commit')
    await write('a')
    const root = await blobs.get(toBlobId(await open().snapshot()))
    const [header, file, directory = ''] = root.toString().split('\n')
    const forged = `${header}\n${directory.replace('hooks', '.git')}\n${file}\n`
    await blobs.put(forged)
    await rm(path, { recursive: true })
    await open().restore(computeTreeId(forged))
    expect(await readdir(path)).toEqual(['a'])
  })

  test.each(['', '/etc', '../x', 'a/../b', 'a//b'])('cannot be %j', (name) => {
    expect(() => open([name])).toThrow(/Cannot exclude/)
  })
})
