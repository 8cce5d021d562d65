// Both kinds of trees behave alike.

import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Blobs, TreeReader } from '../../src/engine/index.ts'
import type { TreeId } from '../../src/loop/index.ts'
import { memoryBlobs } from '../../src/testing/memory-blobs.ts'
import { createDirectoryWorkspace } from '../../src/workspace/index.ts'
import { createTreeReader } from '../../src/workspace/tree-reader.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
let blobs: Blobs
beforeEach(() => {
  fixture = createGitFixture({ 'a.txt': 'a\n', 'b/c.txt': 'c\n', 'b/*.txt': 'star\n' })
  chmodSync(join(fixture.checkout, 'a.txt'), 0o755)
  symlinkSync('b/c.txt', join(fixture.checkout, 'link'))
  writeFileSync(
    Buffer.concat([Buffer.from(`${fixture.checkout}/odd-`), Buffer.from([0xff])]),
    'odd',
  )
  fixture.commitAll()
  blobs = memoryBlobs()
})
afterEach(() => fixture.remove())

async function snapshot(kind: 'git' | 'blobs'): Promise<TreeId> {
  if (kind === 'blobs') {
    return createDirectoryWorkspace({ path: fixture.checkout, blobs }).snapshot()
  }
  return `git:${fixture.git('rev-parse', 'HEAD^{tree}').trim()}` as TreeId
}

describe.each(['git', 'blobs'] as const)('a reader of trees of %s', (kind) => {
  const reader = async (): Promise<TreeReader> =>
    createTreeReader({
      blobs,
      folder: join(fixture.folder, 'record'),
      repository: kind === 'git' ? await fixture.repository() : undefined,
    })

  test('lists files with their kinds, with equal ids for equal content', async () => {
    const read = await reader()
    const tree = await snapshot(kind)
    const listed = await read.list(tree)
    const kinds = Object.fromEntries([...listed].map(([path, file]) => [path, file.kind]))
    expect(kinds).toEqual({
      'a.txt': 'executable',
      'b/c.txt': 'file',
      'b/*.txt': 'file',
      link: 'link',
      'odd-\\xff': 'file',
    })
    fixture.write('copy.txt', 'a\n')
    fixture.write('b/c.txt', 'other\n')
    fixture.commitAll()
    const later = await read.list(await snapshot(kind))
    expect(later.get('copy.txt')?.content).toBe(listed.get('a.txt')?.content)
    expect(later.get('b/c.txt')?.content).not.toBe(listed.get('b/c.txt')?.content)
  })

  test('reads many files at once, except missing ones and those over the limit', async () => {
    const read = await reader()
    const tree = await snapshot(kind)
    const paths = ['a.txt', 'b/*.txt', 'link', 'odd-\\xff', 'b', 'none', '../a.txt', 'a.txt']
    const found = await Promise.all(paths.map((path) => read.read(tree, path)))
    expect(found.map((bytes) => bytes && Buffer.from(bytes).toString())).toEqual([
      'a\n',
      'star\n',
      'b/c.txt',
      'odd',
      undefined,
      undefined,
      undefined,
      'a\n',
    ])
    const [short, long] = await Promise.all([
      read.read(tree, 'a.txt', 1),
      read.read(tree, 'b/*.txt', 5),
    ])
    expect([short, long?.length]).toEqual([undefined, 5])
  })

  test('returns a patch of the requested paths only, truncated at the limit', async () => {
    const read = await reader()
    const before = await snapshot(kind)
    for (const path of ['a.txt', 'b/c.txt', 'b/*.txt']) fixture.write(path, 'new\n')
    fixture.commitAll()
    const after = await snapshot(kind)
    const patch = await read.patch(before, after, ['b/*.txt', 'none'])
    expect(patch).toContain('-star')
    expect(patch).not.toContain('c.txt')
    expect(await read.patch(before, after, [])).toBe('')
    const cut = await read.patch(before, after, ['a.txt', 'b/c.txt'], 40)
    expect(cut).toMatch(/^[^]{40}\n\[\d+ more \w+\]/)
    expect(await read.patch(before, before, ['a.txt'])).toBe('')
  })
})

test('a git tree without a repository is rejected', async () => {
  const read = createTreeReader({ blobs, folder: fixture.folder, repository: undefined })
  await expect(read.list(await snapshot('git'))).rejects.toThrow(/no repository/)
})

test('a missing tree is rejected with a clear message', async () => {
  const repository = await fixture.repository()
  const read = createTreeReader({ blobs, folder: fixture.folder, repository })
  const none = `git:${'1'.repeat(40)}` as TreeId
  await expect(read.list(none)).rejects.toThrow(/does not have all of the tree/)
})
