// A branch that is only another name of a branch, with real git.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteBranch } from '../../src/workspace/git/delete-branch.ts'
import { changeRef } from '../../src/workspace/git/refs.ts'
import { runGit } from '../../src/workspace/git/run-git.ts'
import { openLandings } from '../../src/workspace/index.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
beforeEach(() => {
  fixture = createGitFixture({ 'a.txt': 'a\n' })
  fixture.git('symbolic-ref', 'refs/heads/other', 'refs/heads/main')
})
afterEach(() => fixture.remove())

const commitOf = (name: string): string => fixture.git('rev-parse', name).trim()

test('is no target, because the branch may be checked out', async () => {
  const git = openLandings(await fixture.repository())
  const from = commitOf('main')
  const to = fixture.git('commit-tree', '-p', from, '-m', 'work', `${from}^{tree}`).trim()
  const moved = git.move('other', { from, to, reason: 'test' })
  await expect(moved).rejects.toMatchObject({ code: 'wrong-status' })
  await expect(moved).rejects.toThrow('only another name of refs/heads/main')
  expect(commitOf('main')).toBe(from)
})

test('is changed or deleted without the branch that it names', async () => {
  const repository = await fixture.repository()
  const from = commitOf('main')
  const to = fixture.git('commit-tree', '-p', from, '-m', 'work', `${from}^{tree}`).trim()
  expect(await changeRef(runGit, repository, { ref: 'refs/heads/other', from, to })).toBe(true)
  expect([commitOf('other'), commitOf('main')]).toEqual([to, from])
  fixture.git('symbolic-ref', 'refs/heads/other', 'refs/heads/main')
  expect(await deleteBranch(repository, 'other')).toBe(true)
  expect(commitOf('main')).toBe(from)
})
