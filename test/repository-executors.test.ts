// The executors that change a repository, with real git, and those that use `gh`, with a fake one.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ActionRepository,
  applyPatchExecutor,
  commentExecutor,
  commitExecutor,
  mergeExecutor,
  openPrExecutor,
} from '../src/authority/index.ts'
import { type ActionContext, systemClock } from '../src/engine/index.ts'
import { openRunRepository } from '../src/launch/authority/run-repository.ts'
import type { MergedCertifier } from '../src/launch/landing/certify-merged.ts'
import { createLand } from '../src/launch/landing/create-land.ts'
import { FaultError, type Json, LoopError, type RunId } from '../src/loop/index.ts'
import { createMemoryStore } from '../src/testing/memory-store/memory-store.ts'
import { writeRun } from '../src/testing/write-run.ts'
import { openGitTrees, runProgram } from '../src/workspace/index.ts'
import { actionContext, fakeGh, newFolder } from './executors-fixture.ts'
import { createGitFixture, type GitFixture } from './workspace/git-fixture.ts'

const key = 'run-1/1/action:x#1'
const action = (kind: string, details: Json = {}) => ({ kind, summary: `do ${kind}`, details })

let fixture: GitFixture
let repository: ActionRepository
let context: ActionContext

/** Merged files that differ from those of the run are not certified. */
const refuseAll: MergedCertifier = () => ({
  checks: 'none',
  certify: async () => ({ type: 'refused', reason: 'no' }),
})

/** A run whose branch has one commit: a.txt changed, new.txt added, b.txt removed. */
beforeEach(async () => {
  fixture = createGitFixture({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
  const worktree = await fixture.create()
  const workspace = await fixture.open(worktree)
  writeFileSync(join(worktree.path, 'a.txt'), 'two\n')
  mkdirSync(join(worktree.path, 'deep'))
  writeFileSync(join(worktree.path, 'deep', 'new.txt'), 'new\n')
  rmSync(join(worktree.path, 'b.txt'))
  await workspace.commit({ message: 'work' })
  const opened = await fixture.repository()
  const trees = openGitTrees(opened)
  const base = await trees.resolveTree(worktree.base.commit)
  const tree = await trees.resolveTree(`refs/heads/${worktree.branch}`)
  if (base === undefined || tree === undefined) throw new Error('no trees')
  const store = createMemoryStore()
  await writeRun(store, { id: 'run-1', name: 'work' })
  repository = openRunRepository({
    repository: opened,
    worktree,
    checkout: fixture.checkout,
    run: { id: 'run-1' as RunId, name: 'work' },
    loop: 'fix',
    land: createLand({ journal: store, clock: systemClock }, refuseAll),
  })
  context = actionContext({ base, tree })
})
afterEach(() => fixture.remove())

describe('merge', () => {
  test('is found by its key, and only by that', async () => {
    const merge = mergeExecutor(repository)
    expect(await merge.find(action('merge'), key, context)).toEqual({ type: 'not-done' })
    const receipt = await merge.perform(action('merge'), key, context)
    expect(receipt).toMatchObject({ status: 'done', details: { target: 'agent/fix' } })
    expect(await merge.find(action('merge'), key, context)).toMatchObject({
      type: 'done',
      receipt: { details: receipt.details },
    })
    expect(await merge.find(action('merge'), 'other', context)).toEqual({ type: 'not-done' })
    expect(fixture.git('show', 'agent/fix:a.txt')).toBe('two\n')
  })

  test('a conflict is a definite error that changes nothing', async () => {
    fixture.git('branch', 'other')
    fixture.git('checkout', '-q', 'other')
    writeFileSync(join(fixture.checkout, 'a.txt'), 'three\n')
    fixture.git('commit', '-qam', 'theirs')
    fixture.git('checkout', '-q', 'main')
    const before = fixture.git('rev-parse', 'other')
    const merging = mergeExecutor(repository).perform(
      action('merge', { into: 'other' }),
      key,
      context,
    )
    await expect(merging).rejects.toMatchObject({
      fault: { code: 'needs-work', rework: { commit: before.trim() } },
    })
    expect(fixture.git('rev-parse', 'other')).toBe(before)
  })

  test('files that pass together with those of the target are needed', async () => {
    fixture.git('branch', 'other')
    fixture.git('checkout', '-q', 'other')
    writeFileSync(join(fixture.checkout, 'c.txt'), 'theirs\n')
    fixture.commitAll('theirs')
    fixture.git('checkout', '-q', 'main')
    const before = fixture.git('rev-parse', 'other')
    const wanted = action('merge', { into: 'other' })
    const merging = mergeExecutor(repository).perform(wanted, key, context)
    await expect(merging).rejects.toThrow('does not pass the checks: no')
    expect(fixture.git('rev-parse', 'other')).toBe(before)
  })

  test('with the strategy none, nothing is merged', async () => {
    const wanted = action('merge', { strategy: 'none' })
    const receipt = await mergeExecutor(repository).perform(wanted, key, context)
    expect(receipt).toMatchObject({ status: 'skipped' })
    expect(fixture.git('branch', '--list', 'agent/*')).toBe('')
  })

  test('commits after the certified tree are not merged', async () => {
    fixture.git('update-ref', `refs/heads/${repository.branch}`, 'main')
    const merging = mergeExecutor(repository).perform(action('merge'), key, context)
    await expect(merging).rejects.toBeInstanceOf(FaultError)
  })

  test('work that is not certified is not merged', async () => {
    const { certificate: _none, ...uncertified } = context
    const merging = mergeExecutor(repository).perform(action('merge'), key, uncertified)
    await expect(merging).rejects.toBeInstanceOf(FaultError)
  })
})

describe('commit', () => {
  test('puts the work on a new branch, once', async () => {
    const commit = commitExecutor(repository)
    const wanted = action('commit', { branch: 'agent/one', message: 'All of it' })
    const receipt = await commit.perform(wanted, key, context)
    expect(fixture.git('log', '--format=%s', 'agent/one').trim().split('\n')).toEqual([
      'All of it',
      'first',
    ])
    expect(await commit.find(wanted, key, context)).toMatchObject({
      type: 'done',
      receipt: { details: receipt.details },
    })
    await expect(commit.perform(wanted, key, context)).rejects.toThrow('already exists')
    expect(await commit.find(wanted, 'other', context)).toEqual({ type: 'not-done' })
  })
})

describe('apply-patch', () => {
  const perform = () => applyPatchExecutor(repository).perform(action('apply-patch'), key, context)
  const find = () => applyPatchExecutor(repository).find(action('apply-patch'), key, context)

  test('writes, adds and removes files of the checkout, and is found by the files', async () => {
    expect(await find()).toEqual({ type: 'not-done' })
    expect(await perform()).toMatchObject({
      details: { files: ['a.txt', 'b.txt', 'deep/new.txt'] },
    })
    expect(fixture.git('status', '--porcelain')).toBe(' M a.txt\n D b.txt\n?? deep/\n')
    expect(readFileSync(join(fixture.checkout, 'deep', 'new.txt'), 'utf8')).toBe('new\n')
    expect(await find()).toMatchObject({ type: 'done' })
    // Again: nothing is left to do.
    expect(await perform()).toMatchObject({ status: 'done' })
  })

  test('a file that the user changed prevents it, and nothing is written', async () => {
    writeFileSync(join(fixture.checkout, 'a.txt'), 'mine\n')
    await expect(perform()).rejects.toThrow('differ from what the run started with')
    expect(fixture.git('status', '--porcelain')).toBe(' M a.txt\n')
  })

  test('half of it, after a crash, is unknown', async () => {
    writeFileSync(join(fixture.checkout, 'a.txt'), 'two\n')
    expect(await find()).toEqual({ type: 'unknown' })
  })

  test('a folder that is a link is not followed', async () => {
    const outside = newFolder()
    symlinkSync(outside, join(fixture.checkout, 'deep'))
    await expect(perform()).rejects.toThrow('is not a folder')
    expect(fixture.git('status', '--porcelain')).toBe('?? deep\n')
  })
})

describe('gh', () => {
  const open = () => {
    const gh = fakeGh()
    const run = async (args: readonly string[], { input = '' }: { readonly input?: string }) => {
      const env = { PATH: '/usr/bin:/bin' }
      const called = { name: 'gh', program: gh.program, args, env }
      const { stdout } = await runProgram(called, { input: Buffer.from(input) })
      return stdout.toString()
    }
    return { gh, ports: { repository, gh: async () => run } }
  }
  const addRemote = (): string => {
    const remote = join(newFolder(), 'owner', 'name.git')
    execFileSync('git', ['init', '--quiet', '--bare', remote])
    fixture.git('remote', 'add', 'origin', `file://${remote}`)
    return remote
  }

  test('open-pr pushes the branch and opens it; a lost answer is found by the key', async () => {
    const remote = addRemote()
    const { gh, ports } = open()
    const pr = openPrExecutor(ports)
    const wanted = action('open-pr', { base: 'main', draft: true })
    gh.behave('lose')
    await expect(pr.perform(wanted, key, context)).rejects.not.toBeInstanceOf(FaultError)
    gh.behave('ok')
    expect(await pr.find(wanted, key, context)).toMatchObject({
      type: 'done',
      receipt: { details: { url: 'https://git.test/o/n/pr/1' } },
    })
    expect(await pr.find(wanted, 'other', context)).toEqual({ type: 'not-done' })
    expect(gh.created()).toHaveLength(1)
    expect(gh.created()[0]).toContain('--draft')
    expect(execFileSync('git', ['-C', remote, 'branch', '--list'], { encoding: 'utf8' })).toContain(
      repository.branch,
    )
  })

  test('a refusal is found to be not done, and a silent server is unknown', async () => {
    addRemote()
    const { gh, ports } = open()
    const pr = openPrExecutor(ports)
    gh.behave('refuse')
    await expect(pr.perform(action('open-pr'), key, context)).rejects.toThrow('not allowed')
    expect(await pr.find(action('open-pr'), key, context)).toEqual({ type: 'not-done' })
    gh.behave('silent')
    await expect(pr.find(action('open-pr'), key, context)).rejects.toThrow('offline')
  })

  test('without a remote it is a definite error', async () => {
    const { ports } = open()
    const opening = openPrExecutor(ports).perform(action('open-pr'), key, context)
    await expect(opening).rejects.toBeInstanceOf(FaultError)
  })

  test('comment: success, repeated key, lost answer', async () => {
    addRemote()
    const { gh, ports } = open()
    const comment = commentExecutor(ports)
    const wanted = action('comment', { on: 7, text: 'Done.' })
    expect(await comment.find(wanted, key, context)).toEqual({ type: 'not-done' })
    gh.behave('lose')
    await expect(comment.perform(wanted, key, context)).rejects.not.toBeInstanceOf(FaultError)
    gh.behave('ok')
    expect(await comment.find(wanted, key, context)).toMatchObject({ type: 'done' })
    expect(gh.created()).toHaveLength(1)
  })
})

test('E10: no ref moves and no file is written by a process that lost the run', async () => {
  const stale = {
    ...context,
    fence: () => Promise.reject(new LoopError('fenced', 'Another process holds the run.')),
  }
  const refs = (): string => fixture.git('for-each-ref', 'refs/heads')
  const before = refs()
  for (const [kind, executor] of [
    ['merge', mergeExecutor(repository)],
    ['commit', commitExecutor(repository)],
    ['apply-patch', applyPatchExecutor(repository)],
  ] as const) {
    await expect(executor.perform(action(kind), key, stale)).rejects.toThrow('Another process')
    expect(await executor.find(action(kind), key, context)).toEqual({ type: 'not-done' })
  }
  expect(refs()).toBe(before)
})
