// What an iteration in a worktree writes without git processes: git reads it, and nothing of others is lost.

import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeObject } from '../../src/workspace/git/write-object.ts'
import { openGitTrees, type RunGit, runGit, worktreeFiles } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture({ 'a.txt': 'a\n', 'old/b.txt': 'b\n', 'c.txt': 'c\n' })
})
afterEach(() => fixture.remove())

const subjects = (branch: string): readonly string[] =>
  fixture.git('log', '--format=%s', branch).trim().split('\n')

describe('an iteration', () => {
  test('makes seven calls of git', async () => {
    const calls: string[] = []
    const git: RunGit = (call) => {
      calls.push(call.command)
      return runGit(call)
    }
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree, { git })
    const iterate = async (text: string): Promise<void> => {
      const before = await workspace.snapshot()
      writeFileSync(join(worktree.path, 'a.txt'), text)
      const tree = await workspace.snapshot()
      expect(await workspace.snapshot()).toBe(tree)
      expect(await workspace.changes(before, tree)).toEqual(['a.txt'])
      await workspace.commit({ message: text, tree })
    }
    await iterate('one')
    await iterate('two')
    calls.length = 0
    await iterate('three')
    expect(calls.toSorted()).toEqual([
      'status',
      'status',
      'status',
      'update-index',
      'update-ref',
      'update-ref',
      'write-tree',
    ])
    expect(subjects(worktree.branch)).toEqual(['three', 'two', 'one', 'first'])
    fixture.git('fsck', '--strict', '--no-dangling')
  })

  test('knows the changed paths as git does, whatever replaces what', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    const trees = openGitTrees(await fixture.repository())
    const at = (path: string): string => join(worktree.path, path)
    const changes = [
      () => writeFileSync(at('new.txt'), 'new'),
      () => unlinkSync(at('c.txt')),
      () => (rmSync(at('a.txt')), mkdirSync(at('a.txt')), writeFileSync(at('a.txt/in'), 'x')),
      () => (rmSync(at('old'), { recursive: true }), writeFileSync(at('old'), 'a file now')),
      () => (rmSync(at('new.txt')), symlinkSync('old', at('new.txt'))),
      () => (mkdirSync(at('kept')), writeFileSync(at('kept/d.txt'), 'd')),
      // The rules hide the symlink, but the file below it is gone all the same.
      () => {
        writeFileSync(at('.gitignore'), '/kept\n')
        renameSync(at('kept'), at('moved'))
        symlinkSync('moved', at('kept'))
      },
      () => Array.from({ length: 12 }, (_, index) => writeFileSync(at(`m${index}`), `${index}`)),
    ]
    let before = await workspace.snapshot()
    for (const change of changes) {
      change()
      const after = await workspace.snapshot()
      expect(await workspace.changes(before, after)).toEqual(await trees.changes(before, after))
      before = after
    }
    const files = fixture.git('ls-tree', '-r', '--name-only', before.slice('git:'.length))
    expect(files).not.toContain('kept')
  })

  test('has the files as they are, after any number of snapshots', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    for (let count = 1; count <= 22; count += 1) {
      writeFileSync(join(worktree.path, 'a.txt'), `${count % 3}`)
      const tree = await workspace.snapshot()
      expect(fixture.git('cat-file', 'blob', `${tree.slice('git:'.length)}:a.txt`)).toBe(
        `${count % 3}`,
      )
    }
  })

  test('needs no commit of an earlier snapshot', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    for (const text of ['one', 'two']) {
      writeFileSync(join(worktree.path, 'a.txt'), text)
      await workspace.snapshot()
    }
    const commit = fixture.git('for-each-ref', '--format=%(objectname)', 'refs/loopwright').trim()
    rmSync(join(fixture.checkout, '.git/objects', commit.slice(0, 2), commit.slice(2)))
    writeFileSync(join(worktree.path, 'c.txt'), 'three')
    const tree = (await workspace.snapshot()).slice('git:'.length)
    expect(fixture.git('cat-file', 'blob', `${tree}:c.txt`)).toBe('three')
  })

  test.each(['moved', 'deleted'])('does not rely on a branch that was %s', async (what) => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    writeFileSync(join(worktree.path, 'a.txt'), 'one')
    await workspace.commit({ message: 'one' })
    const ref = `refs/heads/${worktree.branch}`
    if (what === 'deleted') fixture.git('update-ref', '-d', ref)
    else fixture.gitIn(worktree.path, 'commit', '-q', '--allow-empty', '-m', 'by hand')
    const unchanged = await workspace.commit({ message: 'unchanged' })
    expect(unchanged.isNew).toBe(what === 'deleted')
    if (what === 'deleted') fixture.git('update-ref', '-d', ref)
    else fixture.gitIn(worktree.path, 'commit', '-q', '--allow-empty', '-m', 'by hand again')
    writeFileSync(join(worktree.path, 'a.txt'), 'two')
    await workspace.commit({ message: 'two' })
    expect(subjects(worktree.branch)).toEqual(
      what === 'deleted' ? ['two', 'first'] : ['two', 'by hand again', 'by hand', 'one', 'first'],
    )
  })

  test('follows a branch whose objects git has packed', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    writeFileSync(join(worktree.path, 'a.txt'), 'one')
    await workspace.commit({ message: 'one' })
    fixture.git('gc', '-q', '--prune=now')
    writeFileSync(join(worktree.path, 'a.txt'), 'two')
    await workspace.commit({ message: 'two' })
    expect(subjects(worktree.branch)).toEqual(['two', 'one', 'first'])
    fixture.git('fsck', '--strict', '--no-dangling')
  })
})

describe('an object', () => {
  const hello = Buffer.from('hello\n')

  test('is the one that git would write', async () => {
    const id = await writeObject(worktreeFiles, await fixture.repository(), 'blob', hello)
    expect(id).toBe('ce013625030ba8dba906f756967f9e9ca394464a')
    expect(fixture.git('cat-file', 'blob', id)).toBe('hello\n')
  })

  test('that exists becomes young again', async () => {
    const repository = await fixture.repository()
    const id = await writeObject(worktreeFiles, repository, 'blob', hello)
    const path = join(repository.commonDir, 'objects', id.slice(0, 2), id.slice(2))
    utimesSync(path, 1, 1)
    expect(await writeObject(worktreeFiles, repository, 'blob', hello)).toBe(id)
    expect(statSync(path).mtimeMs).toBeGreaterThan(1000)
  })

  test('is not written through a symlink', async () => {
    const repository = await fixture.repository()
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(repository.commonDir, 'objects', 'ce'))
    await expect(writeObject(worktreeFiles, repository, 'blob', hello)).rejects.toThrow(/symlink/)
  })
})
