// F13, F14: worktrees that were changed from outside, and stale locks.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isLoopError, type TreeId } from '../../src/loop/index.ts'
import {
  type KnownWorktree,
  releaseSnapshots,
  removeWorktree,
  type WorktreeWorkspace,
} from '../../src/workspace/index.ts'
import { createGitFixture, fingerprintOf, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
let worktree: KnownWorktree
let workspace: WorktreeWorkspace
beforeEach(async () => {
  fixture = createGitFixture({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n' })
  worktree = await fixture.create({ key: 'k' })
  workspace = await fixture.open(worktree)
})
afterEach(() => fixture.remove())

const admin = (...parts: string[]) =>
  join(fixture.checkout, '.git', 'worktrees', worktree.id, ...parts)
const elsewhere = () => join(fixture.folder, 'elsewhere')

const cases: Readonly<Record<string, { happen(): void; says: RegExp; restores: boolean }>> = {
  deleted: {
    happen: () => rmSync(worktree.path, { recursive: true }),
    says: /does not exist\. Resume/,
    restores: true,
  },
  'moved by hand': {
    happen: () => renameSync(worktree.path, elsewhere()),
    says: /does not exist\. Resume/,
    restores: true,
  },
  'moved by git': {
    happen: () => void fixture.git('worktree', 'move', worktree.path, elsewhere()),
    says: /was moved: git knows it as .*elsewhere/,
    restores: false,
  },
  pruned: {
    happen: () => {
      renameSync(worktree.path, elsewhere())
      fixture.git('worktree', 'prune')
      renameSync(elsewhere(), worktree.path)
    },
    says: /no longer known to git\. Resume/,
    restores: false,
  },
  'replaced by a link': {
    happen: () => {
      renameSync(worktree.path, elsewhere())
      symlinkSync(elsewhere(), worktree.path)
    },
    says: /replaced by a symlink/,
    restores: false,
  },
  'replaced by a link to the checkout': {
    happen: () => {
      rmSync(worktree.path, { recursive: true })
      symlinkSync(fixture.checkout, worktree.path)
    },
    says: /replaced by a symlink/,
    restores: false,
  },
  'replaced by another folder': {
    happen: () => {
      renameSync(worktree.path, elsewhere())
      mkdirSync(worktree.path)
      writeFileSync(join(worktree.path, 'mine'), 'mine')
    },
    says: /no longer the worktree of this run/,
    restores: false,
  },
  'given another pointer': {
    happen: () => {
      mkdirSync(join(worktree.path, 'fake'))
      writeFileSync(join(worktree.path, '.git'), `gitdir: ${join(worktree.path, 'fake')}\n`)
    },
    says: /no longer the worktree of this run/,
    restores: false,
  },
  'put on another branch': {
    happen: () => void fixture.gitIn(worktree.path, 'switch', '-q', '-c', 'theirs'),
    says: /is no longer on run\/fix-the-tests/,
    restores: false,
  },
}

const kinds = Object.entries(cases)

describe.each(kinds)('a worktree that was %s', (_name, { happen, says, restores }) => {
  test('fails with a typed error and advice, and changes nothing', async () => {
    writeFileSync(join(worktree.path, 'a.txt'), 'work')
    const tree = await workspace.snapshot()
    const { commit } = await workspace.commit({ message: 'work' })
    happen()
    const checkout = fixture.fingerprint()
    const folders = readdirSync(fixture.folder).filter((name) => name !== 'project')
    const prints = () => folders.map((name) => fingerprintOf(join(fixture.folder, name)))
    const were = prints()
    const code = 'workspace-failed'
    const message = expect.stringMatching(says)
    await expect(workspace.snapshot()).rejects.toMatchObject({ code, message })
    await expect(workspace.commit({ message: 'x' })).rejects.toMatchObject({ code })
    expect(prints()).toEqual(were)
    const restored = await workspace.restore(tree).then(
      () => 'restored',
      (error: unknown) => (isLoopError(error) ? error.code : error),
    )
    expect(restored).toBe(restores ? 'restored' : code)
    expect(prints()).toEqual(were)
    expect(fixture.fingerprint()).toBe(checkout)
    expect(fixture.git('rev-parse', worktree.branch).trim()).toBe(commit)
    fixture.git('worktree', 'prune')
    expect(fixture.git('fsck', '--no-dangling')).toBe('')
  })
})

test.each(kinds.filter(([, { restores }]) => restores))(
  'one that was %s is recreated at its path',
  async (_name, { happen }) => {
    writeFileSync(join(worktree.path, 'a.txt'), 'work')
    const { tree } = await workspace.commit({ message: 'work' })
    happen()
    expect(await workspace.exists()).toBe(false)
    await workspace.restore(`git:${tree}` as TreeId)
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('work')
    expect(fixture.gitIn(worktree.path, 'status', '--porcelain')).toBe('')
  },
)

test('one that was deleted and pruned is recreated, and so is one that was only pruned', async () => {
  writeFileSync(join(worktree.path, 'a.txt'), 'work')
  const tree = await workspace.snapshot()
  rmSync(worktree.path, { recursive: true })
  fixture.git('worktree', 'prune')
  expect(existsSync(admin())).toBe(false)
  await (await fixture.open(worktree)).restore(tree)
  expect(fixture.gitIn(worktree.path, 'status', '--porcelain')).toMatch(/^M +a\.txt\n$/)
  renameSync(worktree.path, elsewhere())
  fixture.git('worktree', 'prune')
  renameSync(elsewhere(), worktree.path)
  expect(await (await fixture.open(worktree)).snapshot()).toBe(tree)
})

test('clean-up of a missing or foreign worktree removes only what is ours', async () => {
  const repository = await fixture.repository()
  renameSync(worktree.path, elsewhere())
  mkdirSync(worktree.path)
  writeFileSync(join(worktree.path, 'mine'), 'mine')
  await expect(removeWorktree({ repository, key: 'k' })).rejects.toMatchObject({
    code: 'workspace-failed',
  })
  expect(readdirSync(worktree.path)).toEqual(['mine'])
  rmSync(worktree.path, { recursive: true })
  expect(await removeWorktree({ repository, key: 'k' })).toMatchObject({ status: 'removed' })
  expect(readFileSync(join(elsewhere(), 'a.txt'), 'utf8')).toBe('a\n')
})

test('one whose creation was killed at any moment is completed, and can be removed', async () => {
  const repository = await fixture.repository()
  const record = join(fixture.checkout, '.git', 'loopwright', 'worktrees', 'k.json')
  const { id, ...unfinished } = { ...worktree, state: 'creating' }
  const moments = [
    // git has registered and locked it.
    () => writeFileSync(admin('locked'), 'initializing'),
    // It was not yet on its branch.
    () => {
      for (const name of ['a.txt', 'deep']) rmSync(join(worktree.path, name), { recursive: true })
      writeFileSync(admin('HEAD'), '0'.repeat(40))
      writeFileSync(admin('locked'), 'initializing')
    },
    // Half of its files were there.
    () => rmSync(join(worktree.path, 'deep'), { recursive: true }),
  ]
  for (const moment of moments) {
    moment()
    writeFileSync(record, JSON.stringify(unfinished))
    expect(await fixture.create({ key: 'k' })).toMatchObject({ id, branch: worktree.branch })
    expect(fixture.gitIn(worktree.path, 'status', '--porcelain')).toBe('')
    expect(existsSync(admin('locked'))).toBe(false)
  }
  expect(await removeWorktree({ repository, key: 'k' })).toMatchObject({ status: 'removed' })
  expect(fixture.git('worktree', 'list').trim().split('\n')).toHaveLength(1)
})

test('one that is missing when it is opened is not recreated', async () => {
  const other = await fixture.create({ key: 'other' })
  rmSync(other.path, { recursive: true })
  const opened = await fixture.open(other)
  expect(await opened.exists()).toBe(false)
  await expect(opened.snapshot()).rejects.toMatchObject({
    code: 'workspace-failed',
    message: expect.stringContaining('does not exist'),
  })
  expect(existsSync(other.path)).toBe(false)
})

describe('snapshots that a garbage collection deleted', () => {
  const ref = (): string => join(fixture.checkout, '.git', 'refs', 'loopwright', 'k')
  const lost = `${'1'.repeat(40)}\n`

  test('are lost; new ones are kept again', async () => {
    await workspace.snapshot()
    writeFileSync(ref(), lost)
    writeFileSync(join(worktree.path, 'a.txt'), 'work')
    const again = await fixture.open(worktree)
    const tree = await again.snapshot()
    expect(`git:${fixture.git('rev-parse', 'refs/loopwright/k^{tree}').trim()}`).toBe(tree)
    fixture.git('gc', '--prune=now', '--quiet')
  })

  test('do not prevent the deletion of their ref', async () => {
    await workspace.snapshot()
    writeFileSync(ref(), lost)
    await releaseSnapshots(await fixture.repository(), 'k')
    expect(existsSync(ref())).toBe(false)
    fixture.git('gc', '--prune=now', '--quiet')
  })
})

describe('a lock that a killed git left', () => {
  const old = (path: string) => {
    writeFileSync(path, '')
    utimesSync(path, 1, 1)
  }

  test('on an index or on the settings blocks nothing', async () => {
    const locks = [
      admin('index.lock'),
      admin('HEAD.lock'),
      admin('loopwright', 'index.lock'),
      join(fixture.checkout, '.git', 'index.lock'),
      join(fixture.checkout, '.git', 'config.lock'),
      join(fixture.checkout, '.git', 'HEAD.lock'),
    ]
    for (const lock of locks) writeFileSync(lock, '')
    writeFileSync(join(worktree.path, 'a.txt'), 'work')
    const { commit, tree } = await workspace.commit({ message: 'x' })
    await workspace.restore(`git:${tree}` as TreeId)
    expect(fixture.git('rev-parse', worktree.branch).trim()).toBe(commit)
    const again = await fixture.open(worktree)
    expect(await again.snapshot()).toBe(`git:${tree}`)
    await fixture.create({ key: 'other' })
    for (const lock of locks) expect(existsSync(lock)).toBe(true)
  })

  test('on our branch is removed, and one on all branches is reported', async () => {
    const ref = join(fixture.checkout, '.git', 'refs', 'heads', `${worktree.branch}.lock`)
    old(ref)
    writeFileSync(join(worktree.path, 'a.txt'), 'work')
    expect((await workspace.commit({ message: 'x' })).isNew).toBe(true)
    expect(existsSync(ref)).toBe(false)
    const packed = join(fixture.checkout, '.git', 'packed-refs.lock')
    old(packed)
    const repository = await fixture.repository()
    fixture.git('merge', '-q', worktree.branch)
    await expect(removeWorktree({ repository, key: 'k' })).rejects.toMatchObject({
      message: expect.stringContaining('packed-refs.lock'),
    })
    rmSync(packed)
    expect(await removeWorktree({ repository, key: 'k' })).toMatchObject({ status: 'removed' })
    expect(fixture.git('branch', '--list', 'run/*')).toBe('')
  })

  test('on a branch is not removed while it is new: its owner gets time to finish', async () => {
    const ref = join(fixture.checkout, '.git', 'refs', 'heads', `${worktree.branch}.lock`)
    writeFileSync(ref, '')
    setTimeout(() => rmSync(ref), 300)
    writeFileSync(join(worktree.path, 'a.txt'), 'work')
    expect((await workspace.commit({ message: 'x' })).isNew).toBe(true)
  })
})
