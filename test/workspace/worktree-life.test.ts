// The life of a worktree until its removal, with real git.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TreeId } from '../../src/loop/index.ts'
import { listWorktrees, removeWorktree } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture({
    'a.txt': 'a\n',
    'src/b.ts': 'b\n',
    '.gitignore': '.env\nnode_modules\nbuild/\n',
  })
})
afterEach(() => fixture.remove())

const read = (...parts: string[]) => readFileSync(join(...parts), 'utf8')

describe('an iteration', () => {
  test('is a commit on the branch; repeating it returns the same commit', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    writeFileSync(join(worktree.path, 'a.txt'), 'one')
    const first = await workspace.commit({
      message: 'Iteration 1',
      trailers: { 'Loopwright-Iteration': '1' },
    })
    expect(first.isNew).toBe(true)
    expect(await workspace.commit({ message: 'Iteration 1' })).toEqual({ ...first, isNew: false })
    writeFileSync(join(worktree.path, 'a.txt'), 'two')
    const second = await workspace.commit({ message: 'Iteration 2' })
    expect(fixture.git('log', '--format=%s|%an', worktree.branch).trim().split('\n')).toEqual([
      'Iteration 2|Loopwright',
      'Iteration 1|Loopwright',
      'first|A',
    ])
    expect(
      fixture
        .git('log', '-1', '--format=%(trailers:key=Loopwright-Iteration,valueonly)', first.commit)
        .trim(),
    ).toBe('1')
    expect(fixture.gitIn(worktree.path, 'status', '--porcelain')).toBe('')
    expect(
      await workspace.patch(`git:${first.tree}` as TreeId, `git:${second.tree}` as TreeId),
    ).toContain('-one')
  })

  test('is based on a commit that a user added meanwhile', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    writeFileSync(join(worktree.path, 'theirs.txt'), 'x')
    fixture.gitIn(worktree.path, 'add', '-A')
    fixture.gitIn(worktree.path, 'commit', '-q', '-m', 'by hand')
    writeFileSync(join(worktree.path, 'ours.txt'), 'x')
    await workspace.commit({ message: 'ours' })
    expect(fixture.git('log', '--format=%s', worktree.branch).trim().split('\n')).toEqual([
      'ours',
      'by hand',
      'first',
    ])
  })

  test('protects all its snapshots from garbage collection', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    writeFileSync(join(worktree.path, 'a.txt'), 'never committed')
    const tree = await workspace.snapshot()
    writeFileSync(join(worktree.path, 'a.txt'), 'other')
    await workspace.snapshot()
    fixture.git('reflog', 'expire', '--expire=now', '--all')
    fixture.git('gc', '-q', '--prune=now')
    await workspace.restore(tree)
    expect(read(worktree.path, 'a.txt')).toBe('never committed')
    expect(fixture.git('fsck', '--no-dangling', '--strict')).toBe('')
  })

  test('moves no ref if the fence rejects it', async () => {
    const worktree = await fixture.create()
    const beforeRef = () => Promise.reject(new Error('fenced'))
    const workspace = await fixture.open(worktree, { beforeRef })
    writeFileSync(join(worktree.path, 'a.txt'), 'x')
    await expect(workspace.commit({ message: 'x' })).rejects.toThrow('fenced')
    expect(fixture.git('rev-parse', worktree.branch)).toBe(fixture.git('rev-parse', 'main'))
  })
})

describe('ignored files', () => {
  test('survive a restore, except those that only later rules ignore', async () => {
    const worktree = await fixture.create()
    const workspace = await fixture.open(worktree)
    const tree = await workspace.snapshot()
    mkdirSync(join(worktree.path, 'build'))
    writeFileSync(join(worktree.path, 'build', 'cache'), 'slow to make')
    writeFileSync(join(worktree.path, '.gitignore'), '*\n')
    writeFileSync(join(worktree.path, 'hidden.ts'), 'x')
    await workspace.restore(tree)
    expect(existsSync(join(worktree.path, 'hidden.ts'))).toBe(false)
    expect(read(worktree.path, 'build', 'cache')).toBe('slow to make')
    expect(await workspace.snapshot()).toBe(tree)
  })
})

describe('clean-up', () => {
  test('removes a worktree and an empty branch', async () => {
    const repository = await fixture.repository()
    const before = fixture.fingerprint()
    const worktree = await fixture.create({ key: 'k' })
    expect(await removeWorktree({ repository, key: 'k' })).toEqual({
      status: 'removed',
      path: worktree.path,
      branch: worktree.branch,
    })
    expect(existsSync(worktree.path)).toBe(false)
    expect(fixture.git('branch', '--list', 'run/*')).toBe('')
    expect(fixture.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
    expect(await removeWorktree({ repository, key: 'k' })).toEqual({ status: 'unknown' })
    expect(readdirSync(fixture.folder)).toEqual(['project'])
    expect(fixture.fingerprint()).toBe(before)
  })

  test('keeps uncommitted changes and locked worktrees', async () => {
    const repository = await fixture.repository()
    const worktree = await fixture.create({ key: 'k' })
    writeFileSync(join(worktree.path, 'new.ts'), 'x')
    expect(await removeWorktree({ repository, key: 'k' })).toEqual({
      status: 'kept',
      path: worktree.path,
      why: expect.stringContaining('new.ts'),
    })
    expect(read(worktree.path, 'new.ts')).toBe('x')
    await (await fixture.open(worktree)).commit({ message: 'x' })
    fixture.git('worktree', 'lock', '--reason', 'mine', worktree.path)
    expect(await removeWorktree({ repository, key: 'k' })).toMatchObject({
      status: 'kept',
      why: expect.stringContaining('mine'),
    })
  })

  test('keeps an unmerged branch, and deletes a merged one, even after a squash', async () => {
    const repository = await fixture.repository()
    for (const key of ['unmerged', 'merged', 'squashed']) {
      const worktree = await fixture.create({ key, name: key })
      writeFileSync(join(worktree.path, `${key}.ts`), 'x')
      await (await fixture.open(worktree)).commit({ message: key })
    }
    fixture.git('merge', '-q', 'run/merged')
    fixture.git('branch', '-q', 'agent/spec')
    fixture.git('checkout', '-q', 'agent/spec')
    fixture.git('merge', '-q', '--squash', 'run/squashed')
    fixture.commitAll('squashed')
    fixture.git('checkout', '-q', 'main')
    const mergedInto = ['agent/spec']
    for (const key of ['unmerged', 'merged', 'squashed']) {
      const removal = await removeWorktree({ repository, key, mergedInto })
      expect(removal).toMatchObject({ status: 'removed', branch: `run/${key}` })
      expect('branchKept' in removal).toBe(key === 'unmerged')
    }
    expect(fixture.git('branch', '--list', 'run/*').trim()).toBe('run/unmerged')
  })

  test('lists worktrees with their size', async () => {
    const repository = await fixture.repository()
    const one = await fixture.create({ key: 'one' })
    writeFileSync(join(one.path, 'large'), Buffer.alloc(1_000_000, 'x'))
    const two = await fixture.create({ key: 'two' })
    fixture.git('worktree', 'move', two.path, join(fixture.folder, 'elsewhere'))
    const listed = await listWorktrees(repository)
    expect(listed.map(({ key, status }) => [key, status])).toEqual([
      ['one', 'there'],
      ['two', 'not-ours'],
    ])
    expect(listed[0]?.size.bytes).toBeGreaterThanOrEqual(1_000_000)
    expect(listed[1]?.why).toContain('elsewhere')
  })
})
