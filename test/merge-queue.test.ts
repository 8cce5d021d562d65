// The merge queue with real git: what is certified, how often, and what becomes of requests that were cut off.

import { beforeEach, describe, expect, test } from 'vitest'
import { type MergeRow, type NewMerge, type Store, systemClock } from '../src/engine/index.ts'
import { landWork } from '../src/launch/landing/land-work.ts'
import {
  type Candidate,
  type LandingEnd,
  presenceOf,
  trailer,
} from '../src/launch/landing/landing.ts'
import type { TreeId } from '../src/loop/index.ts'
import { createMemoryStore } from '../src/testing/memory-store/memory-store.ts'
import { writeRun } from '../src/testing/write-run.ts'
import { type Landings, openLandings } from '../src/workspace/index.ts'
import type { GitFixture } from './workspace/git-fixture.ts'
import { newRepository } from './worktree-fixture.ts'

const target = 'agent/shop'

let fixture: GitFixture
let store: Store
let git: Landings
/** The files that were certified, each time. */
let asked: (readonly string[])[]

beforeEach(async () => {
  fixture = newRepository({ 'shared.txt': 'of all\n' })
  store = createMemoryStore()
  git = openLandings(await fixture.repository())
  asked = []
})

/** A branch from main with one changed file, and the request to merge it. */
async function request(name: string, path = `${name}.txt`): Promise<NewMerge> {
  fixture.git('checkout', '-q', '-b', `run/${name}`, 'main')
  fixture.write(path, `${name}\n`)
  fixture.commitAll(name)
  fixture.git('checkout', '-q', 'main')
  const { run } = await writeRun(store, { id: name, name })
  const commit = fixture.git('rev-parse', `run/${name}`).trim()
  return {
    key: `key of ${name}`,
    run,
    repository: (await fixture.repository()).commonDir,
    target,
    branch: `run/${name}`,
    commit,
    tree: `git:${fixture.git('rev-parse', `${commit}^{tree}`).trim()}` as TreeId,
    base: fixture.git('rev-parse', 'main').trim(),
    strategy: 'squash',
    message: `${name}\n\n${trailer(`key of ${name}`)}`,
    queuedAtMs: 1,
  }
}

const filesOf = ({ commit }: Candidate): readonly string[] =>
  fixture.git('ls-tree', '-r', '--name-only', commit).trim().split('\n')

/** Two files with a name that begins with `scarce` do not pass together. */
function land(
  one: NewMerge,
  landings: Landings = git,
  held: Promise<unknown> = Promise.resolve(),
): Promise<LandingEnd> {
  const certify = async (candidate: Candidate) => {
    const files = filesOf(candidate)
    asked.push(files)
    await held
    const isGreen = files.filter((name) => name.startsWith('scarce')).length < 2
    return isGreen
      ? ({ type: 'certified', certificate: `for ${files.length} files` } as const)
      : ({ type: 'refused', reason: 'two are scarce' } as const)
  }
  const ports = { journal: store, clock: systemClock }
  return landWork(ports, landings, { request: one, checks: 'same', certify }, signal)
}

const { signal } = new AbortController()
const subjects = (): readonly string[] =>
  fixture.git('log', '--format=%s', `main..${target}`).trim().split('\n')

test('the certificate of the run holds if the merged files are its files', async () => {
  const end = await land(await request('one'))
  expect(end).toEqual({
    state: 'merged',
    commit: fixture.git('rev-parse', target).trim(),
    tree: expect.stringMatching(/^git:/),
  })
  expect(asked).toEqual([])
})

test('requests that wait together are certified once, and each is a commit', async () => {
  const requests = [await request('one'), await request('two'), await request('three')]
  const ends = await Promise.all(requests.map((one) => land(one)))
  expect(ends.map(({ state }) => state)).toEqual(['merged', 'merged', 'merged'])
  expect(subjects()).toEqual(['three', 'two', 'one'])
  expect(asked).toEqual([['one.txt', 'shared.txt', 'three.txt', 'two.txt']])
})

test('a batch that is refused is divided, and only the request that fails alone is refused', async () => {
  const names = ['scarce-1', 'one', 'scarce-2', 'two']
  const requests: NewMerge[] = []
  for (const name of names) requests.push(await request(name))
  const ends = await Promise.all(requests.map((one) => land(one)))
  expect(ends.map(({ state }) => state)).toEqual(['merged', 'merged', 'conflict', 'merged'])
  expect(ends[2]).toMatchObject({
    reason: 'Merged with agent/shop, it does not pass the checks: two are scarce',
    conflict: { files: [] },
  })
  expect(subjects()).toEqual(['two', 'one', 'scarce-1'])
})

test('a conflict has the merged files with the conflicts marked', async () => {
  await land(await request('one', 'shared.txt'))
  const end = await land(await request('two', 'shared.txt'))
  expect(end).toMatchObject({ state: 'conflict', conflict: { files: ['shared.txt'] } })
  const tree = end.state === 'conflict' ? end.conflict.tree.slice('git:'.length) : ''
  expect(fixture.git('show', `${tree}:shared.txt`)).toContain('<<<<<<<')
})

test('if the target moves on, the new files are certified; a target that never rests is given up', async () => {
  await land(await request('one'))
  let moves = 1
  const moving: Landings = {
    ...git,
    async move(branch, change) {
      if (moves-- > 0) await movedByOthers(moves)
      return git.move(branch, change)
    },
  }
  expect(await land(await request('two'), moving)).toMatchObject({ state: 'merged' })
  expect(asked.map((files) => files.includes('others-0.txt'))).toEqual([false, true])
  moves = 100
  expect(await land(await request('three'), moving)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('keeps moving'),
  })
})

test.each([
  ['deleted', () => void fixture.git('update-ref', '-d', `refs/heads/${target}`)],
  ['rewritten', () => void fixture.git('update-ref', `refs/heads/${target}`, 'main')],
])('a target that is %s before it moves is merged with anew', async (_, change) => {
  await land(await request('one'))
  let isFirst = true
  const moving: Landings = {
    ...git,
    async move(branch, planned) {
      if (isFirst) change()
      isFirst = false
      return git.move(branch, planned)
    },
  }
  const end = await land(await request('two'), moving)
  expect(end).toMatchObject({ state: 'merged', commit: fixture.git('rev-parse', target).trim() })
  expect(subjects()).toEqual(['two'])
})

async function movedByOthers(number: number): Promise<void> {
  fixture.git('checkout', '-q', target)
  fixture.write(`others-${number}.txt`, 'x\n')
  fixture.commitAll(`others ${number}`)
  fixture.git('checkout', '-q', 'main')
}

describe('requests of another process', () => {
  /** Its checks have these names; it must not need them. */
  function landElsewhere(one: NewMerge, checks: string, until: AbortSignal = signal) {
    const certify = () => Promise.reject(new Error('certified elsewhere'))
    const ports = { journal: { merges: store.merges }, clock: systemClock }
    return landWork(ports, git, { request: one, checks, certify }, until)
  }
  const isWaiting = (one: NewMerge, checks: string): Promise<boolean> =>
    store.merges.isHeld(presenceOf(one, checks))

  /** The first one is being certified while the others come. */
  async function whileBusy(work: () => Promise<void>): Promise<readonly LandingEnd[]> {
    await land(await request('zero'))
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const before = asked.length
    const first = land(await request('one'), git, held)
    await expect.poll(() => asked.length).toBe(before + 1)
    const second = land(await request('two'))
    await work()
    release()
    return Promise.all([first, second])
  }

  test('are in the same batch if their checks are the same and it waits', async () => {
    const theirs = await request('three')
    let other: Promise<LandingEnd> | undefined
    const ends = await whileBusy(async () => {
      other = landElsewhere(theirs, 'same')
      await expect.poll(() => isWaiting(theirs, 'same')).toBe(true)
    })
    expect([...ends, await other].map((end) => end?.state)).toEqual(['merged', 'merged', 'merged'])
    expect(asked).toHaveLength(2)
    expect(asked[1]).toEqual(expect.arrayContaining(['two.txt', 'three.txt']))
    expect(await isWaiting(theirs, 'same')).toBe(false)
  })

  test.each([
    ['has other checks', 'other'],
    ['was canceled', 'same'],
  ])('are not merged if it %s', async (_, checks) => {
    const theirs = await request('three')
    const stop = new AbortController()
    const ends = await whileBusy(async () => {
      const other = landElsewhere(theirs, checks, stop.signal).catch(() => undefined)
      await expect.poll(() => isWaiting(theirs, checks)).toBe(true)
      if (checks === 'same') {
        stop.abort()
        await other
      }
      expect(await isWaiting(theirs, checks)).toBe(checks !== 'same')
    })
    expect(ends.map(({ state }) => state)).toEqual(['merged', 'merged'])
    expect(asked.flat()).not.toContain('three.txt')
    stop.abort()
  })

  test('that fail are refused by that process alone', async () => {
    const theirs = await request('scarce-2')
    await land(await request('scarce-1'))
    const stop = new AbortController()
    const ends = await whileBusy(async () => {
      landElsewhere(theirs, 'same', stop.signal).catch(() => undefined)
      await expect.poll(() => isWaiting(theirs, 'same')).toBe(true)
    })
    stop.abort()
    expect(ends.map(({ state }) => state)).toEqual(['merged', 'merged'])
    expect((await store.merges.row(theirs.key))?.progress.state).toBe('queued')
  })
})

describe('a process that was killed', () => {
  const cutOff = async (one: NewMerge, isMoved: boolean): Promise<MergeRow | undefined> => {
    await store.merges.add(one)
    const lease = await store.merges.acquire(one, 'gone')
    if (lease === undefined) throw new Error('busy')
    const merged = await git.merge(one.base, one)
    if (merged.type !== 'merged') throw new Error(merged.type)
    const { commit, tree } = merged
    await store.merges.update(lease, [
      { key: one.key, progress: { state: 'merging', commit, tip: commit, tree } },
    ])
    if (isMoved) await git.move(target, { from: undefined, to: commit, reason: 'test' })
    await store.merges.release(lease)
    return store.merges.row(one.key)
  }

  test.each([true, false])('after the branch moved: %s', async (isMoved) => {
    const one = await request('one')
    expect(await cutOff(one, isMoved)).toMatchObject({ progress: { state: 'merging' } })
    expect(await land(one)).toMatchObject({ state: 'merged' })
    expect(subjects()).toEqual(['one'])
    expect(await store.merges.listOpen()).toEqual([])
  })

  test('is followed by the next request of the line, which records what it had done', async () => {
    const one = await request('one')
    await cutOff(one, true)
    await land(await request('two'))
    expect(await store.merges.row(one.key)).toMatchObject({ progress: { state: 'merged' } })
    expect(subjects()).toEqual(['two', 'one'])
  })
})
