// Creating worktrees, with real git.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type CreateWorktreeOptions,
  createWorktree,
  findRepository,
  worktreeFiles,
} from '../../src/workspace/index.ts'
import { share } from '../share.ts'
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

describe('a new worktree', () => {
  test('is beside the checkout, on a branch named after the run, with the files of the base', async () => {
    const before = fixture.fingerprint()
    const worktree = await fixture.create({ name: 'Fix the Tests!' })
    expect(worktree.branch).toBe('run/fix-the-tests')
    expect(basename(worktree.path)).toBe('project.run-fix-the-tests')
    expect(worktree.base).toEqual({ name: 'main', commit: fixture.git('rev-parse', 'main').trim() })
    expect(read(worktree.path, 'src', 'b.ts')).toBe('b\n')
    expect(fixture.gitIn(worktree.path, 'status', '--porcelain')).toBe('')
    expect(fixture.gitIn(worktree.path, 'branch', '--show-current').trim()).toBe(worktree.branch)
    // Before git status, which itself writes to the index.
    expect(fixture.fingerprint()).toBe(before)
    expect(fixture.git('status', '--porcelain')).toBe('')
  })

  test('has a unique name, even if the branch or the folder exists', async () => {
    const one = await fixture.create()
    const two = await fixture.create()
    mkdirSync(join(fixture.folder, 'project.run-fix-the-tests-3'))
    fixture.git('branch', 'run/fix-the-tests-4')
    const five = await fixture.create()
    expect([one.branch, two.branch, five.branch]).toEqual([
      'run/fix-the-tests',
      'run/fix-the-tests-2',
      'run/fix-the-tests-5',
    ])
    expect(readdirSync(join(fixture.folder, 'project.run-fix-the-tests-3'))).toEqual([])
  })

  test('is returned again for the same key', async () => {
    const one = await fixture.create({ key: 'same' })
    writeFileSync(join(one.path, 'a.txt'), 'work')
    expect(await fixture.create({ key: 'same' })).toEqual(one)
    expect(read(one.path, 'a.txt')).toBe('work')
  })

  test('is created at the path of the template', async () => {
    const pathTemplate = join(fixture.folder, 'trees/{{ repo }}/{{ run_branch }}')
    const { path } = await fixture.create({ pathTemplate })
    expect(path).toBe(join(fixture.folder, 'trees/project/run/fix-the-tests'))
    await expect(fixture.create({ pathTemplate: '.git/x' })).rejects.toMatchObject({
      code: 'bad-template',
    })
    await expect(fixture.create({ pathTemplate: '../{{ what }}' })).rejects.toMatchObject({
      code: 'bad-template',
    })
  })

  test('starts from the checkout, else from the remote default branch, main or master', async () => {
    fixture.git('checkout', '-q', '-b', 'topic')
    const topic = fixture.commitAll('topic')
    expect((await fixture.create()).base).toEqual({ name: 'topic', commit: topic })
    fixture.git('checkout', '-q', '--detach')
    expect((await fixture.create()).base).toEqual({ name: 'HEAD', commit: topic })
    // A branch without a commit: all files are new.
    fixture.git('symbolic-ref', 'HEAD', 'refs/heads/unborn')
    await expect(fixture.create()).rejects.toMatchObject({ code: 'wrong-status' })
    expect((await fixture.create({ allowDirty: true })).base.name).toBe('main')
    fixture.git('update-ref', 'refs/remotes/origin/dev', topic)
    fixture.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/dev')
    expect((await fixture.create({ allowDirty: true })).base).toEqual({
      name: 'origin/dev',
      commit: topic,
    })
    expect((await fixture.create({ base: 'main', allowDirty: true })).base.name).toBe('main')
    await expect(fixture.create({ base: '--upload-pack=x' })).rejects.toMatchObject({
      code: 'bad-request',
    })
  })

  test('is rejected if there are uncommitted changes, unless they are allowed', async () => {
    fixture.write('new.txt')
    fixture.write('a.txt', 'changed')
    const before = fixture.fingerprint()
    await expect(fixture.create()).rejects.toMatchObject({
      code: 'wrong-status',
      message: expect.stringMatching(/a\.txt, new\.txt.*git stash -u/),
    })
    expect(fixture.fingerprint()).toBe(before)
    const worktree = await fixture.create({ allowDirty: true })
    expect(read(worktree.path, 'a.txt')).toBe('a\n')
  })

  test('starts although a loop file was changed, since a run does not read the one of its commit', async () => {
    fixture.write('loops/fix.yaml', 'agent: repair\n')
    fixture.commitAll('loop')
    fixture.write('loops/fix.yaml', 'agent: claude\n')
    await expect(fixture.create()).rejects.toMatchObject({ code: 'wrong-status' })
    const worktree = await fixture.create({ ignoredPaths: ['loops/fix.yaml'] })
    expect(read(worktree.path, 'loops/fix.yaml')).toBe('agent: repair\n')
    fixture.write('a.txt', 'changed')
    await expect(fixture.create({ ignoredPaths: ['loops/fix.yaml'] })).rejects.toMatchObject({
      message: expect.stringContaining('has uncommitted changes: a.txt.'),
    })
  })

  test('is rejected without disk space, without a commit, and outside a repository', async () => {
    const files = {
      ...worktreeFiles,
      statfs: async () => ({ bavail: 10, bsize: 4096 }),
    } as unknown as typeof worktreeFiles
    await expect(fixture.create({ files })).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringContaining('MiB'),
    })
    expect(fixture.git('branch', '--list', 'run/*')).toBe('')
    const empty = join(fixture.folder, 'empty')
    fixture.gitIn(fixture.folder, 'init', '-q', empty)
    const repository = await findRepository(empty)
    await expect(fixture.create({ repository })).rejects.toMatchObject({
      message: expect.stringContaining('no commit yet'),
    })
    await expect(findRepository('/nonexistent/x')).rejects.toMatchObject({
      code: 'workspace-failed',
    })
  })

  test('can be created from a bare, shallow or SHA-256 repository, and from another worktree', async () => {
    const bare = join(fixture.folder, 'bare.git')
    fixture.gitIn(fixture.folder, 'clone', '-q', '--bare', fixture.checkout, bare)
    const shallow = join(fixture.folder, 'shallow')
    fixture.commitAll('second')
    fixture.gitIn(
      fixture.folder,
      'clone',
      '-q',
      '--depth',
      '1',
      `file://${fixture.checkout}`,
      shallow,
    )
    const longer = join(fixture.folder, 'longer')
    fixture.gitIn(fixture.folder, 'init', '-q', '-b', 'main', '--object-format=sha256', longer)
    writeFileSync(join(longer, 'a.txt'), 'a\n')
    fixture.gitIn(longer, 'add', '-A')
    fixture.gitIn(longer, 'commit', '-q', '-m', 'x')
    const other = (await fixture.create({ name: 'other' })).path
    for (const [index, folder] of [bare, shallow, longer, other].entries()) {
      const repository = await findRepository(folder)
      const worktree = await fixture.create({
        repository,
        key: `kind-${index}`,
        name: `kind ${index}`,
      })
      const workspace = await fixture.open(worktree, { repository })
      const tree = await workspace.snapshot()
      writeFileSync(join(worktree.path, 'a.txt'), 'work')
      const { commit } = await workspace.commit({ message: 'work' })
      expect(fixture.gitIn(worktree.path, 'rev-parse', 'HEAD').trim()).toBe(commit)
      await workspace.restore(tree)
      expect(read(worktree.path, 'a.txt')).toBe('a\n')
    }
  })
})

test('many worktrees with the same name can be created concurrently', async () => {
  const count = share(20, 4)
  const before = fixture.fingerprint()
  const many = await Promise.all(Array.from({ length: count }, () => fixture.create()))
  expect(new Set(many.map(({ branch }) => branch)).size).toBe(count)
  expect(new Set(many.map(({ path }) => path)).size).toBe(count)
  for (const { path } of many) expect(fixture.gitIn(path, 'status', '--porcelain')).toBe('')
  expect(fixture.git('branch', '--list', 'run/*').trim().split('\n')).toHaveLength(count)
  expect(fixture.fingerprint()).toBe(before)
})

describe('carrying files over', () => {
  const create = async (options: Partial<CreateWorktreeOptions> = {}) =>
    createWorktree({
      repository: await fixture.repository(),
      key: 'carry',
      name: 'carry',
      ...options,
    })

  test('copies ignored files that match a rule, never as hard links', async () => {
    fixture.write('.env', 'KEY=1')
    fixture.write('sub/.env', 'KEY=2')
    fixture.write('node_modules/p/index.js', 'p')
    symlinkSync('../p/index.js', join(fixture.checkout, 'node_modules', 'link'))
    fixture.write('build/out.js', 'out')
    const { worktree, carried } = await create()
    expect(carried.paths.toSorted()).toEqual(['.env', 'node_modules', 'sub/.env'])
    expect(read(worktree.path, '.env')).toBe('KEY=1')
    expect(read(worktree.path, 'sub', '.env')).toBe('KEY=2')
    expect(existsSync(join(worktree.path, 'build'))).toBe(false)
    expect(lstatSync(join(worktree.path, 'node_modules', 'link')).isSymbolicLink()).toBe(true)
    expect(statSync(join(worktree.path, '.env')).nlink).toBe(1)
    writeFileSync(join(worktree.path, '.env'), 'KEY=3')
    expect(read(fixture.checkout, '.env')).toBe('KEY=1')
  })

  test('keeps them out of trees and commits, and through restores, whatever .gitignore contains', async () => {
    fixture.write('.env', 'SECRET')
    const { worktree } = await create()
    const workspace = await fixture.open(worktree)
    const tree = await workspace.snapshot()
    writeFileSync(join(worktree.path, '.gitignore'), '!.env\n')
    const { tree: committed } = await workspace.commit({ message: 'shows it' })
    expect(fixture.git('ls-tree', '-r', '--name-only', committed).split('\n')).not.toContain('.env')
    await workspace.restore(tree)
    await workspace.restore(`git:${committed}` as typeof tree)
    expect(read(worktree.path, '.env')).toBe('SECRET')
  })

  test('links or skips them by rule, and skips those that are too large', async () => {
    fixture.write('.env', 'KEY=1')
    fixture.write('node_modules/p', 'p'.repeat(1000))
    const carry = [
      { path: '**/.env', by: 'nothing' },
      { path: '**/node_modules', by: 'link' },
    ] as const
    const { worktree } = await create({ carry })
    expect(existsSync(join(worktree.path, '.env'))).toBe(false)
    expect(lstatSync(join(worktree.path, 'node_modules')).isSymbolicLink()).toBe(true)
    const limits = { filesMax: 10, bytesMax: 100 }
    const small = await create({ key: 'small', carryLimits: limits })
    expect(small.carried).toEqual({
      paths: ['.env'],
      linked: [],
      skipped: [{ path: 'node_modules', why: expect.stringContaining('too large') }],
    })
    expect(
      readdirSync(small.worktree.path).filter((name) => name.startsWith('.loopwright')),
    ).toEqual([])
  })

  test('does not write through a symlink in the base', async () => {
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(fixture.checkout, 'packages'))
    const base = fixture.commitAll('a link')
    fixture.git('rm', '-q', 'packages')
    fixture.commitAll('no link')
    fixture.write('packages/x/.env', 'KEY')
    const { carried } = await create({ base })
    expect(carried.skipped).toEqual([
      { path: expect.stringContaining('packages'), why: expect.any(String) },
    ])
    expect(readdirSync(outside)).toEqual([])
  })
})
