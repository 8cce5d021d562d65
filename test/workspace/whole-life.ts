/** Runs a worktree through all operations, from creation to removal. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TreeId } from '../../src/loop/index.ts'
import {
  diffFolders,
  type KnownWorktree,
  listUncommitted,
  listWorktrees,
  openGitTrees,
  type Repository,
  readWorktreeState,
  recreateWorktree,
  removeWorktree,
  runGit,
  worktreeFiles,
} from '../../src/workspace/index.ts'
import type { GitFixture } from './git-fixture.ts'

/** Performs every operation on a worktree. */
export async function liveThrough(
  fixture: GitFixture,
  change: (worktree: KnownWorktree) => void,
): Promise<void> {
  const repository = await fixture.repository()
  await listUncommitted(runGit, worktreeFiles, repository)
  const worktree = await fixture.create({ key: 'life' })
  const workspace = await fixture.open(worktree)
  const before = await workspace.snapshot()
  change(worktree)
  const after = await workspace.snapshot()
  expect(after).not.toBe(before)
  await workspace.commit({ message: 'hostile' })
  await workspace.changes(before, after)
  await workspace.patch(before, after)
  await workspace.restore(before)
  expect(await workspace.snapshot()).toBe(before)
  await workspace.restore(after)
  expect(await workspace.snapshot()).toBe(after)
  await fixture.open(worktree)
  await listWorktrees(repository)
  await readWorktreeState(repository, worktree)
  await lookAtTrees(fixture, repository, before, after)
  rmSync(worktree.path, { recursive: true })
  expect(await recreateWorktree({ repository, worktree, tree: after })).toBe(true)
  expect(await (await fixture.open(worktree)).snapshot()).toBe(after)
  await fixture.create({ key: 'next', name: 'next', allowDirty: true })
  expect(await removeWorktree({ repository, key: 'life' })).toMatchObject({ status: 'removed' })
}

/** Operations on trees without a worktree. */
async function lookAtTrees(
  fixture: GitFixture,
  repository: Repository,
  before: TreeId,
  after: TreeId,
): Promise<void> {
  const trees = openGitTrees(repository)
  expect(await trees.missing([before, after])).toEqual([])
  expect(await trees.findCommit('run/fix-the-tests', after)).toBeDefined()
  expect(await trees.changes(before, after)).not.toEqual([])
  await trees.countChangedLines(before, after)
  await trees.patch(before, after)
  const folder = mkdtempSync(join(fixture.folder, 'folders-'))
  for (const [side, tree] of [
    ['a', before],
    ['b', after],
  ] as const) {
    mkdirSync(join(folder, side))
    await trees.extract(tree, join(folder, side))
  }
  await diffFolders(folder)
}
