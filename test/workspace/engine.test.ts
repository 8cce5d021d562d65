// Invariants of the engine, with a worktree as the workspace.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Blobs, systemClock } from '../../src/engine/index.ts'
import {
  createTrees,
  type KnownWorktree,
  type WorktreeWorkspace,
} from '../../src/workspace/index.ts'
import { createWorld, loopOf, worldAfter } from '../engine/fixture.ts'
import { share } from '../share.ts'
import { createGitFixture, type GitFixture } from './git-fixture.ts'

let fixture: GitFixture
let worktree: KnownWorktree
let workspace: WorktreeWorkspace
beforeEach(async () => {
  fixture = createGitFixture({ log: '' })
  worktree = await fixture.create()
  workspace = await fixture.open(worktree)
})
afterEach(() => fixture.remove())

const at = (name: string) => join(worktree.path, name)
const append = (text: string) =>
  writeFileSync(at('log'), `${readFileSync(at('log'), 'utf8')} ${text}`)

/** Appends to a file in two steps; the second leaves partial changes. */
const appendTwice = loopOf<string>(async (_context, it) => {
  await it.step('first', () => append('first'))
  await it.step('second', () => {
    writeFileSync(at('half'), 'written')
    rmSync(at('half'))
    append('second')
  })
  return it.step('read', () => readFileSync(at('log'), 'utf8'), { readOnly: true })
})

test('E2: after a kill at any moment, even with the worktree deleted, a run ends as if not interrupted', async () => {
  // git takes real time. With a moving clock the run would end at its time limit.
  const clock = systemClock
  const world = createWorld({ workspace, clock })
  const run = await world.start(appendTwice)
  const start = await workspace.snapshot()
  await world.drive(run, appendTwice)
  const events = await world.events(run)
  const { tree: last } = await world.state(run)
  for (let count = 1; count < events.length; count += share(1, 4)) {
    // Files left behind when the process died.
    if (count <= 3) await workspace.restore(start)
    else if (count % 3 === 0) rmSync(worktree.path, { recursive: true })
    else {
      writeFileSync(at('log'), 'garbage')
      writeFileSync(at('half'), 'written')
    }
    const opened = await fixture.open(worktree)
    const later = await worldAfter(events, count, { workspace: opened, clock })
    await later.drive(run, appendTwice)
    expect((await later.state(run)).progress).toBe(' first second')
    expect((await later.state(run)).tree).toBe(last)
    expect(existsSync(at('half'))).toBe(false)
    expect(await opened.snapshot()).toBe(last)
  }
}, 240_000)

test('garbage collection of blobs ignores trees in git', async () => {
  const trees = createTrees({} as Blobs)
  const found: string[] = []
  for await (const blob of trees.reachable(await workspace.snapshot())) found.push(blob)
  expect(found).toEqual([])
})

test('snapshots of two processes are all kept, even if the ref was deleted', async () => {
  const other = await fixture.open(worktree)
  const trees: string[] = []
  const snapshot = async (who: WorktreeWorkspace, text: string): Promise<void> => {
    writeFileSync(at('log'), text)
    trees.push((await who.snapshot()).slice('git:'.length))
  }
  const kept = (): readonly string[] =>
    fixture.git('log', '--format=%T', '--glob=refs/loopwright/*').trim().split('\n')
  await snapshot(workspace, 'one')
  await snapshot(other, 'two')
  await snapshot(workspace, 'three')
  await snapshot(other, 'four')
  expect(kept()).toEqual(trees.toReversed())
  const [ref = ''] = fixture
    .git('for-each-ref', '--format=%(refname)', 'refs/loopwright')
    .split('\n')
  fixture.git('update-ref', '-d', ref)
  await snapshot(workspace, 'five')
  expect(kept()).toEqual(trees.slice(-1))
})
