// When a list of commits is known without a process of git.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import { listBranchCommits } from './branch-commits.ts'
import type { RunGit } from './run-git.ts'

const head = '1'.repeat(40)

function createRepository() {
  const commonDir = mkdtempSync(join(tmpdir(), 'loopwright-commits-'))
  afterStory(() => rmSync(commonDir, { recursive: true, force: true }))
  const state = { calls: 0, exitCode: 0 }
  const git: RunGit = async () => {
    state.calls += 1
    const text = `\u0001${head}\u0002A <a@b>\u000250\u0002subject ${state.calls}\u0003\n1\t0\ta.txt\n`
    return { exitCode: state.exitCode, stdout: Buffer.from(text), stderr: '' }
  }
  return { commonDir, state, git }
}

test('the commits below a commit are read once, for each range', async () => {
  const { commonDir, state, git } = createRepository()
  const list = (more: object = {}) =>
    listBranchCommits({ commonDir }, { head, max: 5, ...more }, git)
  const first = await list()
  expect(first).toMatchObject([{ commit: head, message: 'subject 1', files: [{ path: 'a.txt' }] }])
  expect(await list()).toEqual(first)
  expect(state.calls).toBe(1)
  await list({ max: 6 })
  await list({ base: '2'.repeat(40) })
  await list({ head: '3'.repeat(40) })
  expect(state.calls).toBe(4)
})

test.each([
  ['a branch, which may move', { head: 'refs/heads/main' }],
  ['commits since a branch', { head, base: 'main' }],
  ['commits of the last days', { head, sinceMs: 1000 }],
])('%s: they are read each time', async (_what, range) => {
  const { commonDir, state, git } = createRepository()
  for (let times = 0; times < 2; times += 1)
    await listBranchCommits({ commonDir }, { max: 5, ...range }, git)
  expect(state.calls).toBe(2)
})

test('what could not be read, or a shallow clone lacks, is read again', async () => {
  const { commonDir, state, git } = createRepository()
  const list = () => listBranchCommits({ commonDir }, { head, max: 5 }, git)
  state.exitCode = 128
  expect(await list()).toEqual([])
  state.exitCode = 0
  expect(await list()).toHaveLength(1)
  writeFileSync(join(commonDir, 'shallow'), `${head}\n`)
  await list()
  rmSync(join(commonDir, 'shallow'))
  expect(state.calls).toBe(3)
})
