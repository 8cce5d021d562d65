// The contract of snapshots for all kinds of workspaces.

import { execFileSync } from 'node:child_process'
import {
  chmod,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Workspace } from '../../src/engine/index.ts'
import { share } from '../share.ts'
import { type ContractPlace, workspaceKinds } from './workspace-kinds.ts'

describe.each(workspaceKinds)('$kind', ({ createFixture }) => {
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

  describe('a snapshot', () => {
    test('is the same for the same files, whenever they were written', async () => {
      await write('x/y')
      const tree = await workspace.snapshot()
      expect(await workspace.snapshot()).toBe(tree)
      await rm(at('x'), { recursive: true })
      expect(await workspace.snapshot()).not.toBe(tree)
      await write('x/y')
      await utimes(at('x', 'y'), 1, 1)
      expect(await workspace.snapshot()).toBe(tree)
      expect(await (await place.open()).snapshot()).toBe(tree)
    })

    test('differs after any change', async () => {
      const trees = new Set([await workspace.snapshot()])
      const changes = [
        () => write('p', '1'),
        () => write('p', '2'),
        () => chmod(at('p'), 0o755),
        () => rename(at('p'), at('q')),
        () => symlink('q', at('l')),
        () => rm(at('l')).then(() => symlink('c', at('l'))),
        () => rm(at('l')).then(() => write('l', 'c')),
        () => rm(at('l')).then(() => write('l/c', 'c')),
        () => rm(at('q')),
      ]
      for (const change of changes) {
        await change()
        trees.add(await workspace.snapshot())
      }
      expect(trees.size).toBe(changes.length + 1)
    })

    test('notices each of many quick changes of the same size', async () => {
      const trees = new Set<string>()
      const changes = share(20, 8)
      for (let time = 100; time < 100 + changes; time += 1) {
        await write('p', String(time))
        trees.add(await workspace.snapshot())
      }
      expect(trees.size).toBe(changes)
    })

    test('notices a change of the same size whose time was set back', async () => {
      const trees = new Set<string>()
      const changes = share(12, 5)
      for (let time = 100; time < 100 + changes; time += 1) {
        await write('p', String(time))
        await utimes(at('p'), 50, 50)
        trees.add(await workspace.snapshot())
      }
      expect(trees.size).toBe(changes)
    })

    test('skips pipes and sockets, even one that replaced a file', async () => {
      await write('p')
      const with1 = await workspace.snapshot()
      execFileSync('mkfifo', [at('pipe')])
      const server = createServer().listen(at('socket'))
      await new Promise((resolve) => server.once('listening', resolve))
      expect(await workspace.snapshot()).toBe(with1)
      await rm(at('p'))
      const without = await workspace.snapshot()
      execFileSync('mkfifo', [at('p')])
      expect(await workspace.snapshot()).toBe(without)
      await new Promise((resolve) => server.close(resolve))
    })

    test('keeps unusual names and names that are not UTF-8, byte by byte', async () => {
      const file = Buffer.concat([
        Buffer.from(`${place.path}/`),
        Buffer.from([0x66, 0xff, 0x2e, 0x74]),
      ])
      await writeFile(file, 'odd')
      await symlink(Buffer.from([0xfe]), Buffer.concat([file, Buffer.from('-link')]))
      const names = [
        'f\ufffd.t',
        'new\nline %20',
        '-rf',
        '--',
        ':(top)x',
        'a\\b',
        '"q"',
        'tab\t',
        ' ',
        '*',
        '!x',
        '#y',
        'é',
        'e\u0301',
      ]
      for (const odd of names) await write(odd)
      const tree = await workspace.snapshot()
      for (const odd of names) await rm(at(odd))
      await rm(file)
      await workspace.restore(tree)
      expect(await readFile(file, 'utf8')).toBe('odd')
      for (const odd of names) expect(await readFile(at(odd), 'utf8')).toBe(odd)
      expect(await workspace.snapshot()).toBe(tree)
    })

    test('keeps large files and every byte of text files', async () => {
      const content = Buffer.alloc(3_000_001, 'large ')
      const text = '\uFEFFa\r\nb\n\r$Id$ $Id: x $\r\n'
      await writeFile(at('large'), content)
      await writeFile(at('text.txt'), text)
      await writeFile(
        at('.gitattributes'),
        '* text eol=crlf ident working-tree-encoding=UTF-16 filter=f diff=d\n',
      )
      const tree = await workspace.snapshot()
      for (const one of ['large', 'text.txt']) await writeFile(at(one), 'small')
      await workspace.restore(tree)
      expect((await readFile(at('large'))).equals(content)).toBe(true)
      expect(await readFile(at('text.txt'), 'utf8')).toBe(text)
      expect(await workspace.snapshot()).toBe(tree)
    })

    test('contains the files of a nested repository, except its .git', async () => {
      await write('in/x')
      const tree = await workspace.snapshot()
      execFileSync('git', ['init', '-q', at('in')])
      execFileSync('git', [
        '-C',
        at('in'),
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        'commit',
        '-q',
        '--allow-empty',
        '-m',
        'x',
      ])
      expect(await workspace.snapshot()).toBe(tree)
      await rename(at('in'), at('moved'))
      await write('.gitignore', 'skipped\n:odd\n')
      for (const ignored of ['skipped/z', ':odd']) await write(`moved/${ignored}`)
      await write('moved/:(top)kept')
      await write('moved/deep/y')
      const moved = await workspace.snapshot()
      await rm(at('moved', 'deep'), { recursive: true })
      expect(await workspace.snapshot()).not.toBe(moved)
      await workspace.restore(moved)
      expect(await readFile(at('moved', 'deep', 'y'), 'utf8')).toBe('moved/deep/y')
      await workspace.restore(tree)
      expect(await workspace.snapshot()).toBe(tree)
      await expect(stat(at('moved'))).rejects.toThrow('ENOENT')
    })

    test('notices changes by another workspace object', async () => {
      await write('p', '1')
      const one = await workspace.snapshot()
      const other = await place.open()
      await write('p', '2')
      const two = await other.snapshot()
      await workspace.restore(one)
      await other.restore(two)
      expect(await workspace.snapshot()).toBe(two)
      await workspace.restore(one)
      expect(await other.snapshot()).toBe(one)
    })

    test('waits for a previous snapshot or restore', async () => {
      await write('p', '1')
      const tree = await workspace.snapshot()
      await write('p', '2')
      const [, , after] = await Promise.all([
        workspace.snapshot(),
        workspace.restore(tree),
        workspace.snapshot(),
      ])
      expect(after).toBe(tree)
    })
  })
})
