// Merges the work of runs into a branch, in memory, with real git.

import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createWorktree,
  findRepository,
  type KnownWorktree,
  type MergedWork,
  mergeTargetDefault,
  openLandings,
  type Repository,
  removeWorktree,
} from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'
import { makeContentHostile, makeSettingsHostile } from './hostile-repository.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' })
})
afterEach(() => fixture.remove())

const target = mergeTargetDefault('Fix the parser')

async function createWork(path: string, content: string): Promise<KnownWorktree> {
  const worktree = await fixture.create()
  const workspace = await fixture.open(worktree)
  for (const part of ['half of it\n', content]) {
    writeFileSync(join(worktree.path, path), part)
    await workspace.commit({ message: `${path}: ${part.trim()}` })
  }
  return worktree
}

interface LandChoice {
  readonly target?: string
  readonly repository?: Repository
  readonly strategy?: 'squash' | 'merge' | 'fast-forward'
  /** Called before the branch is moved. */
  readonly beforeMove?: () => Promise<void>
}

/** As the merge queue does it, for one request. */
async function landed(
  { key, branch, base }: KnownWorktree,
  { target: to = target, strategy = 'squash', beforeMove, ...choice }: LandChoice = {},
): Promise<MergedWork['type'] | 'moved on'> {
  const git = openLandings(choice.repository ?? (await fixture.repository()))
  const from = await git.tip(to)
  const work = { commit: (await git.tip(branch)) ?? '', strategy, message: `Work of ${branch}` }
  const merged = await git.merge(from ?? base.commit, work)
  if (merged.type !== 'merged') return merged.type
  await beforeMove?.()
  const isMoved = await git.move(to, { from, to: merged.commit, reason: 'test' })
  if (isMoved) await git.record(key, to)
  return isMoved ? 'merged' : 'moved on'
}

type Git = GitFixture['git']

const subjects = (): readonly string[] =>
  fixture.git('log', '--format=%s', target).trim().split('\n')

describe('merged work', () => {
  test('is one commit on the branch of its task, and no checkout changes', async () => {
    const worktree = await createWork('a.txt', 'all of it\n')
    const before = fixture.git('status', '--porcelain=v2', '--branch')
    expect(target).toBe('agent/fix-the-parser')
    expect(await landed(worktree)).toBe('merged')
    expect(subjects()).toEqual([`Work of ${worktree.branch}`, 'first'])
    expect(fixture.git('show', `${target}:a.txt`)).toBe('all of it\n')
    expect(fixture.git('status', '--porcelain=v2', '--branch')).toBe(before)
    expect(fixture.gitIn(worktree.path, 'status', '--porcelain')).toBe('')
  })

  test('is on the branch once, however often it is merged', async () => {
    const worktree = await createWork('a.txt', 'all of it\n')
    await landed(worktree)
    expect(await landed(worktree)).toBe('nothing')
    expect(subjects()).toHaveLength(2)
  })

  test('is safe: its worktree and branch can be removed', async () => {
    const worktree = await createWork('a.txt', 'all of it\n')
    await landed(worktree, { target: 'somewhere/else' })
    const { key, path, branch } = worktree
    const removal = await removeWorktree({ repository: await fixture.repository(), key })
    expect(removal).toEqual({ status: 'removed', path, branch })
    expect(fixture.git('branch', '--list', branch)).toBe('')
  })

  test('keeps its commits with the merge strategy', async () => {
    const worktree = await createWork('a.txt', 'all of it\n')
    await landed(worktree, { strategy: 'merge' })
    expect(subjects()).toHaveLength(4)
    expect(fixture.git('rev-list', '--parents', '-1', target).trim().split(' ')).toHaveLength(3)
  })

  test('follows earlier merges', async () => {
    const first = await createWork('a.txt', 'of the first\n')
    const second = await createWork('b.txt', 'of the second\n')
    await landed(first)
    expect(await landed(second)).toBe('merged')
    expect(fixture.git('show', `${target}:a.txt`)).toBe('of the first\n')
    expect(fixture.git('show', `${target}:b.txt`)).toBe('of the second\n')
  })

  test('does not move a branch that moved on, and is merged with it then', async () => {
    const first = await createWork('a.txt', 'of the first\n')
    const second = await createWork('b.txt', 'of the second\n')
    const beforeMove = async (): Promise<void> => void (await landed(first))
    expect(await landed(second, { beforeMove })).toBe('moved on')
    expect(await landed(second)).toBe('merged')
    expect(subjects()).toHaveLength(3)
    expect(fixture.git('show', `${target}:a.txt`)).toBe('of the first\n')
  })

  test('moves a branch forward without a new commit', async () => {
    const worktree = await createWork('a.txt', 'all of it\n')
    fixture.git('branch', 'release', worktree.base.commit)
    await landed(worktree, { target: 'release', strategy: 'fast-forward' })
    expect(fixture.git('rev-parse', 'release')).toBe(fixture.git('rev-parse', worktree.branch))
  })
})

test('work in a shallow clone is merged', async () => {
  fixture.write('c.txt', 'second')
  fixture.commitAll('second')
  const clone = `${fixture.checkout}.shallow`
  fixture.git('clone', '-q', '--depth', '1', `file://${fixture.checkout}`, clone)
  const repository = await findRepository(clone)
  const { worktree } = await createWorktree({ repository, key: 'shallow', name: 'shallow' })
  writeFileSync(join(worktree.path, 'a.txt'), 'of a clone\n')
  await (await fixture.open(worktree, { repository })).commit({ message: 'work' })
  expect(await landed(worktree, { repository })).toBe('merged')
  expect(fixture.gitIn(clone, 'show', `${target}:a.txt`)).toBe('of a clone\n')
})

describe('work that cannot be merged', () => {
  test('reports the conflicting files, and changes nothing', async () => {
    const first = await createWork('a.txt', 'of the first\n')
    const second = await createWork('a.txt', 'of the second\n')
    await landed(first)
    const tip = fixture.git('rev-parse', target)
    expect(await landed(second)).toBe('conflict')
    const git = openLandings(await fixture.repository())
    const work = { commit: (await git.tip(second.branch)) ?? '', message: 'x' }
    const merged = await git.merge(tip.trim(), { ...work, strategy: 'squash' })
    assert(merged.type === 'conflict')
    expect(merged.files).toEqual(['a.txt'])
    const marked = fixture.git('show', `${merged.tree.slice('git:'.length)}:a.txt`)
    expect(marked).toMatch(/<<<<<<<[^]*of the first[^]*=======[^]*of the second[^]*>>>>>>>/)
    expect(fixture.git('rev-parse', target)).toBe(tip)
  })

  test('is not merged into a branch that is checked out', async () => {
    const worktree = await createWork('a.txt', 'all of it\n')
    await expect(landed(worktree, { target: 'main' })).rejects.toMatchObject({
      code: 'wrong-status',
    })
    expect(fixture.git('status', '--porcelain')).toBe('')
  })

  test('runs no merge driver of the repository', async () => {
    fixture.write('.gitattributes', '* merge=evil\n')
    fixture.write('.git/info/attributes', '* merge=evil\n')
    fixture.git('config', 'merge.evil.driver', `touch ${fixture.marker} %A %O %B`)
    fixture.commitAll('attributes')
    const first = await createWork('a.txt', 'of the first\n')
    const second = await createWork('a.txt', 'of the second\n')
    await landed(first)
    expect(await landed(second)).toBe('conflict')
    expect(fixture.wasRun()).toBe(false)
  })

  test('starts nothing and touches no checkout, whatever the repository and the work contain', async () => {
    const works = [
      await createWork('a.txt', 'of the first\n'),
      await createWork('a.txt', 'of the second\n'),
      await createWork('b.txt', 'of the third\n'),
    ]
    const hostile = await fixture.create()
    makeContentHostile(fixture, hostile.path)
    await (await fixture.open(hostile)).commit({ message: 'hostile' })
    fixture.git('branch', 'release', 'main')
    makeSettingsHostile(fixture)
    // Otherwise the git of this test would start a program.
    const index = (): string =>
      fixture.git('-c', 'core.fsmonitor=false', 'ls-files', '--stage', '--debug')
    const before = index()
    const ends = [await landed(hostile), await landed(hostile, { strategy: 'merge' })]
    for (const work of works) ends.push(await landed(work, { strategy: 'merge' }))
    ends.push(await landed(hostile, { target: 'release', strategy: 'fast-forward' }))
    expect(ends).toEqual(['merged', 'nothing', 'merged', 'conflict', 'merged', 'merged'])
    expect(index()).toBe(before)
    expect(fixture.wasRun()).toBe(false)
  })

  test.each([
    ['is another name of it', (git: Git) => void git('symbolic-ref', 'HEAD', 'refs/heads/alias')],
    [
      'is a symlink',
      (_git: Git, dir: string) => {
        rmSync(join(dir, 'HEAD'))
        symlinkSync('refs/heads/main', join(dir, 'HEAD'))
      },
    ],
    [
      'is detached by a rebase of it',
      (git: Git, dir: string) => {
        git('checkout', '-q', '--detach')
        mkdirSync(join(dir, 'rebase-merge'))
        writeFileSync(join(dir, 'rebase-merge/head-name'), 'refs/heads/main\n')
      },
    ],
  ])('is not merged into a branch if the HEAD of a checkout %s', async (_, change) => {
    const worktree = await createWork('a.txt', 'all of it\n')
    const repository = await fixture.repository()
    fixture.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main')
    change(fixture.git, join(fixture.checkout, '.git'))
    await expect(landed(worktree, { target: 'main', repository })).rejects.toMatchObject({
      message: expect.stringContaining('is checked out in'),
    })
  })

  describe('is not lost by a repository that lies about its history', () => {
    /** A commit of the user, and work from before it. */
    async function scene() {
      const worktree = await createWork('b.txt', 'work\n')
      fixture.git('checkout', '-q', '-b', 'release')
      fixture.write('mine.txt', 'mine')
      fixture.commitAll('mine')
      fixture.git('checkout', '-q', 'main')
      return worktree
    }
    const files = (): string => fixture.git('ls-tree', '-r', '--name-only', 'release')

    test('with grafts', async () => {
      const worktree = await scene()
      const [work, mine] = [worktree.branch, 'release'].map((one) =>
        fixture.git('rev-parse', one).trim(),
      )
      fixture.write('.git/info/grafts', `${work} ${mine}\n`)
      const choice = { target: 'release', strategy: 'fast-forward' } as const
      expect(await landed(worktree, choice)).toBe('merged')
      expect(files()).toContain('mine.txt')
      expect(fixture.git('show', 'release:b.txt')).toBe('work\n')
    })
  })
})
