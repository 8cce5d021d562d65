// The contract of restore for all kinds of workspaces.

import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Workspace } from '../../src/engine/index.ts'
import { share } from '../share.ts'
import { type ContractPlace, workspaceKinds } from './workspace-kinds.ts'

describe.each(workspaceKinds)('$kind', ({ createFixture, keepsEmptyFolders }) => {
  let place: ContractPlace
  let workspace: Workspace
  beforeEach(async () => {
    place = await createFixture()
    workspace = await place.open()
  })
  afterEach(() => place.remove())

  const at = (...names: string[]) => join(place.path, ...names)
  const write = async (path: string, content = path, mode = 0o644) => {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), content, { mode })
  }

  describe('a restore', () => {
    test('brings back what was changed, removed, renamed or added', async () => {
      await write('changed')
      await write('deep/er/removed')
      await write('run.sh', '#!/bin/sh', 0o755)
      await write('plain', '')
      await symlink('changed', at('link'))
      const tree = await workspace.snapshot()
      const names = (await readdir(place.path)).toSorted()
      await write('changed', 'CHANGED')
      await rm(at('deep'), { recursive: true })
      await chmod(at('run.sh'), 0o644)
      await chmod(at('plain'), 0o755)
      await rm(at('link'))
      await symlink('/nonexistent/loopwright/file', at('link'))
      await write('added/in/depth')
      await mkdir(at('empty'))
      execFileSync('mkfifo', [at('added', 'pipe')])
      await workspace.restore(tree)
      expect((await readdir(place.path)).toSorted()).toEqual(names)
      expect(await readFile(at('deep', 'er', 'removed'), 'utf8')).toBe('deep/er/removed')
      expect(await readlink(at('link'))).toBe('changed')
      expect((await stat(at('run.sh'))).mode & 0o111).not.toBe(0)
      expect((await stat(at('plain'))).mode & 0o111).toBe(0)
      expect(await workspace.snapshot()).toBe(tree)
    })

    test('creates the directory if it is missing', async () => {
      await write('x/y')
      const tree = await workspace.snapshot()
      await rm(place.path, { recursive: true })
      expect(await workspace.exists()).toBe(false)
      await expect(workspace.snapshot()).rejects.toMatchObject({ code: 'workspace-failed' })
      await workspace.restore(tree)
      expect(await workspace.exists()).toBe(true)
      expect(await readFile(at('x', 'y'), 'utf8')).toBe('x/y')
      expect(await workspace.snapshot()).toBe(tree)
    })

    test('works for a workspace object without a cache', async () => {
      await write('x/y')
      const tree = await workspace.snapshot()
      await rm(place.path, { recursive: true })
      const fresh = await place.open()
      await fresh.restore(tree)
      expect(await readFile(at('x', 'y'), 'utf8')).toBe('x/y')
      expect(await fresh.snapshot()).toBe(tree)
    })

    test('writes through no symlink and no hard link', async () => {
      await write('dir/file', 'ours')
      await write('other', 'ours')
      await write('gone/file', 'ours')
      const tree = await workspace.snapshot()
      const target = join(place.outside, 'target')
      await mkdir(target)
      await writeFile(join(target, 'file'), 'theirs')
      await writeFile(join(place.outside, 'shared'), 'theirs')
      await rm(at('dir'), { recursive: true })
      await symlink(target, at('dir'))
      await rm(at('gone'), { recursive: true })
      await symlink(target, at('gone'))
      await rm(at('other'))
      await link(join(place.outside, 'shared'), at('other'))
      const left = await workspace.snapshot()
      await workspace.restore(tree)
      expect(await workspace.snapshot()).toBe(tree)
      await workspace.restore(left)
      expect(await readFile(join(target, 'file'), 'utf8')).toBe('theirs')
      expect(await readdir(target)).toEqual(['file'])
      expect(await readFile(join(place.outside, 'shared'), 'utf8')).toBe('theirs')
      expect(await workspace.snapshot()).toBe(left)
      expect((await lstat(at('dir'))).isSymbolicLink()).toBe(true)
    })

    test('works in directories and on files that their owner may not change', async () => {
      await write('locked/a')
      await write('b')
      const tree = await workspace.snapshot()
      await write('locked/extra/deep')
      await write('locked/a', 'changed')
      await write('b', 'changed')
      await chmod(at('b'), 0o000)
      await chmod(at('locked', 'extra'), 0o000)
      await chmod(at('locked'), 0o500)
      await workspace.restore(tree)
      expect(await workspace.snapshot()).toBe(tree)
      expect(await readdir(at('locked'))).toEqual(['a'])
    })

    test('of an unknown tree is rejected and changes nothing', async () => {
      await write('p')
      const tree = await workspace.snapshot()
      await expect(workspace.restore(place.unknownTree)).rejects.toMatchObject({
        code: 'unknown-artifact',
      })
      expect(await workspace.snapshot()).toBe(tree)
    })

    test('is rejected if the directory is a file or a symlink, and so is a snapshot', async () => {
      const tree = await workspace.snapshot()
      await rename(place.path, join(place.outside, 'moved'))
      const before = (await readdir(join(place.outside, 'moved'))).toSorted()
      await writeFile(place.path, 'mine')
      await expect(workspace.snapshot()).rejects.toMatchObject({ code: 'workspace-failed' })
      await expect(workspace.restore(tree)).rejects.toMatchObject({ code: 'workspace-failed' })
      await rm(place.path)
      await symlink(join(place.outside, 'moved'), place.path)
      await expect(workspace.snapshot()).rejects.toMatchObject({ code: 'workspace-failed' })
      await expect(workspace.restore(tree)).rejects.toMatchObject({ code: 'workspace-failed' })
      expect((await readdir(join(place.outside, 'moved'))).toSorted()).toEqual(before)
      await rm(place.path)
    })
  })

  test('lists the changed paths between two trees, sorted', async () => {
    await write('same', '1')
    await write('b', '1')
    await write('gone', '1')
    const before = await workspace.snapshot()
    await write('b', '2')
    await write('a', '1')
    await rm(at('gone'))
    expect(await workspace.changes?.(before, await workspace.snapshot())).toEqual([
      'a',
      'b',
      'gone',
    ])
  })

  test('a restore brings back the files, however they were changed', async () => {
    const names = fc.constantFrom('p', 'q', 'A', 'a b', '%41', 'ü', '-', '\n', '...', '\u2028')
    type Thing =
      | { type: 'file'; content: string; mode: number }
      | { type: 'link'; target: string }
      | { type: 'folder'; things: [string, Thing][] }
    const { folder } = fc.letrec<{ thing: Thing; folder: Thing }>((tie) => ({
      thing: fc.oneof(
        { maxDepth: 3 },
        fc.record({
          type: fc.constant('file' as const),
          content: fc.constantFrom('', 'x', 'y', 'long '.repeat(500)),
          mode: fc.constantFrom(0o644, 0o755, 0o600),
        }),
        fc.record({
          type: fc.constant('link' as const),
          target: fc.constantFrom('a', './a', '/nonexistent/loopwright', '.'),
        }),
        tie('folder'),
      ),
      folder: fc.record({
        type: fc.constant('folder' as const),
        things: fc.uniqueArray(fc.tuple(names, tie('thing')), {
          selector: ([key]) => key,
          minLength: keepsEmptyFolders ? 0 : 1,
          maxLength: 4,
        }),
      }),
    }))
    async function make(path: string, thing: Thing): Promise<void> {
      if (thing.type === 'link') return symlink(thing.target, path)
      if (thing.type === 'file') return writeFile(path, thing.content, { mode: thing.mode })
      await mkdir(path)
      for (const [key, inner] of thing.things) await make(join(path, key), inner)
    }
    const first = await workspace.snapshot()
    await fc.assert(
      fc.asyncProperty(folder, folder, async (before, after) => {
        await make(at('any'), before)
        const one = await workspace.snapshot()
        await rm(at('any'), { recursive: true })
        await make(at('any'), after)
        const two = await workspace.snapshot()
        await workspace.restore(one)
        expect(await workspace.snapshot()).toBe(one)
        const fresh = await place.open()
        await fresh.restore(two)
        expect(await fresh.snapshot()).toBe(two)
        await workspace.restore(first)
        expect(await workspace.snapshot()).toBe(first)
      }),
      { numRuns: share(8, 3) },
    )
  }, 240_000)
})
