/** Runs in git worktrees, with real git and a real journal, in this process. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../src/engine/index.ts'
import type { Host } from '../src/host/index.ts'
import { cleanWorktrees } from '../src/runs/worktrees-of-runs.ts'
import { openLocalStore } from '../src/testing/open-local-store.ts'
import { removeWorktree } from '../src/workspace/index.ts'
import { lines, newFolder, newHost, slow } from './host-fixture.ts'
import { append, loopOf } from './replay-fixture.ts'
import { share } from './share.ts'
import type { GitFixture } from './workspace/git-fixture.ts'
import { newRepository, startIn, subjects, text } from './worktree-fixture.ts'

describe('a run in a worktree', () => {
  test('is available to library users too, and the checkout is unchanged', async () => {
    const host = await newHost()
    const repository = newRepository()
    const before = repository.fingerprint()
    const folder = await startIn(host, repository)
    expect(repository.fingerprint()).toBe(before)
    expect(readFileSync(join(folder, 'lines.txt'), 'utf8')).toBe(text)
    expect(subjects(repository, 'run/work')).toHaveLength(4)
    const { state } = await host.inspect('work')
    expect(state.tree).toBe(`git:${repository.git('rev-parse', 'run/work^{tree}').trim()}`)
    expect(await host.problems()).toEqual([])
  })

  test('works in the folder itself by default, and if auto finds no repository', async () => {
    const host = await newHost()
    const repository = newRepository()
    const place = await host.place({ workspace: repository.checkout })
    expect(place).toMatchObject({ workspace: repository.checkout, worktree: undefined })
    const plain = newFolder()
    expect(await host.place({ workspace: plain, worktree: 'auto' })).toMatchObject({
      workspace: plain,
      worktree: undefined,
    })
    await expect(host.place({ workspace: plain, worktree: true })).rejects.toThrow(/git init/)
    mkdirSync(join(repository.checkout, 'inner'))
    await expect(
      host.place({ workspace: join(repository.checkout, 'inner'), worktree: true }),
    ).rejects.toThrow(/--in-place/)
  })

  test('without a commit to start from works in place, and says why', async () => {
    const host = await newHost()
    const repository = newRepository()
    rmSync(join(repository.checkout, '.git'), { recursive: true })
    repository.git('init', '-q')
    const place = await host.place({ workspace: repository.checkout, worktree: 'auto' })
    expect(place).toMatchObject({ worktree: undefined, why: expect.stringContaining('no commit') })
  })

  test('with a name that is taken creates nothing', async () => {
    const host = await newHost()
    const repository = newRepository()
    await startIn(host, repository)
    const again = { input: 4, workspace: repository.checkout, worktree: true, name: 'work' }
    await expect(host.start(lines, again)).rejects.toMatchObject({ code: 'name-taken' })
    expect(repository.git('branch', '--list', 'run/*').trim().split('\n')).toHaveLength(1)
  })

  test('that was prepared and never started is undone completely', async () => {
    const host = await newHost()
    const repository = newRepository()
    const refs = repository.git('for-each-ref')
    const place = await host.place({ workspace: repository.checkout, worktree: true })
    expect(existsSync(place.workspace ?? '')).toBe(true)
    await place.leave()
    expect(existsSync(place.workspace ?? '')).toBe(false)
    expect(repository.git('for-each-ref')).toBe(refs)
    expect(await host.worktrees({ repository: repository.checkout })).toEqual([])
  })

  test('many at once in one repository all end, each on its branch', async () => {
    const count = share(20, 4)
    const host = await newHost()
    const repository = newRepository()
    const before = repository.fingerprint()
    const names = Array.from({ length: count }, (_, index) => `same ${index % 4}! ${index}`)
    const ends = await Promise.all(names.map((name) => startIn(host, repository, name)))
    expect(new Set(ends).size).toBe(count)
    for (const folder of ends) {
      expect(readFileSync(join(folder, 'lines.txt'), 'utf8')).toBe(text)
    }
    const branches = repository.git('branch', '--list', '--format=%(refname:short)', 'run/*')
    expect(branches.trim().split('\n')).toHaveLength(count)
    for (const branch of branches.trim().split('\n')) {
      expect(subjects(repository, branch)).toHaveLength(4)
    }
    expect(repository.fingerprint()).toBe(before)
  }, 240_000)

  test('that lost its lease moves no ref', async () => {
    const host = await newHost()
    const repository = newRepository()
    let refs = ''
    const loop = loopOf(async (it) => {
      await append(it, 'one')
      if (it.number === 1) return
      // Another process took it over while this one was frozen.
      await it.step('frozen', async () => {
        writeFileSync(join(it.workspace?.path ?? '', 'late.txt'), 'late')
        await takeOver(host, 'lost')
        refs = repository.git('for-each-ref')
      })
    })
    const options = { input: null, workspace: repository.checkout, worktree: true, name: 'lost' }
    const handle = await host.start(loop, options)
    await expect(handle.done).rejects.toMatchObject({ code: 'fenced' })
    expect(refs).toContain('refs/heads/run/lost')
    expect(repository.git('for-each-ref')).toBe(refs)
  })

  test('that is cancelled in the middle keeps its files, and says so', async () => {
    const host = await newHost()
    const repository = newRepository()
    const loop = loopOf(async (it) => {
      await it.step('half', ({ signal }) => {
        writeFileSync(join(it.workspace?.path ?? '', 'half.txt'), 'half')
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        )
      })
    })
    const options = { input: null, workspace: repository.checkout, worktree: true, name: 'half' }
    const handle = await host.start(loop, options)
    await until(() => existsSync(join(repository.folder, 'project.run-half', 'half.txt')))
    await host.sendDecision('half', { type: 'cancel', reason: 'enough' }, 'me')
    await handle.done
    expect(subjects(repository, 'run/half')).toEqual(['half: iteration 1, unfinished'])
    expect(repository.git('show', 'run/half:half.txt')).toBe('half')
  })
})

describe('resuming a run in a worktree', () => {
  async function left(): Promise<{ host: Host; repository: GitFixture }> {
    const host = await newHost()
    const repository = newRepository()
    const stop = new AbortController()
    const options = { input: null, workspace: repository.checkout, worktree: true, name: 'left' }
    const handle = await host.start(slow, { ...options, signal: stop.signal })
    stop.abort()
    await handle.done
    return { host, repository }
  }

  test('works in no other folder', async () => {
    const { host } = await left()
    const workspace = newFolder()
    await expect(host.resume('left', slow, { workspace })).rejects.toThrow(/fork the run/)
  })

  test('reports that its repository was moved, and continues when it is back', async () => {
    const { host, repository } = await left()
    renameSync(repository.checkout, `${repository.checkout}-moved`)
    await expect(host.resume('left', slow)).rejects.toThrow(/Put it back/)
    renameSync(`${repository.checkout}-moved`, repository.checkout)
    const handle = await host.resume('left', slow)
    handle.shutDown()
    expect(await handle.done).toMatchObject({ type: 'suspended' })
  })

  test('reports that its worktree was removed for good, and can be forked', async () => {
    const { host, repository } = await left()
    const found = await repository.repository()
    const { worktree } = (await host.inspect('left')).state
    await removeWorktree({ repository: found, key: worktree?.key ?? '' })
    await expect(host.resume('left', slow)).rejects.toThrow(/Fork the run/)
    const fork = await host.fork('left', slow, { iteration: 0, name: 'fork' })
    fork.shutDown()
    expect(await fork.done).toMatchObject({ type: 'suspended' })
  })
})

/** Like a process whose clock says that this one has been silent for too long. */
async function takeOver({ folder }: Host, name: string): Promise<void> {
  const path = join(folder, 'journal.db')
  const journal = openLocalStore({ path, now: () => Date.now() + 60_000 })
  await journal.acquire((await journal.findRun(name)).id, 'another')
  await journal.close()
}

async function until(met: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (met()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('It never came.')
}

describe('clean-up', () => {
  test('removes what is safe, keeps the rest, and says why', async () => {
    const host = await newHost()
    const repository = newRepository()
    const merged = await startIn(host, repository, 'merged')
    repository.git('merge', '-q', 'run/merged')
    const unmerged = await startIn(host, repository, 'unmerged')
    const dirty = await startIn(host, repository, 'dirty')
    writeFileSync(join(dirty, 'a.txt'), 'changed')
    const stop = new AbortController()
    const left = await host.start(slow, {
      input: null,
      workspace: repository.checkout,
      worktree: true,
      name: 'left',
      signal: stop.signal,
    })
    stop.abort()
    await left.done
    const listed = await host.worktrees({ repository: repository.checkout })
    expect(
      listed.map(({ run, state }) => [run?.name, state.uncommitted, state.unmerged !== undefined]),
    ).toEqual([
      ['merged', [], false],
      ['unmerged', [], true],
      ['dirty', ['a.txt'], true],
      ['left', [], false],
    ])
    expect(listed.every(({ size }) => size.bytes > 0)).toBe(true)
    const wanted = [
      { run: { name: 'merged' }, status: 'removed' },
      { run: { name: 'unmerged' }, status: 'removed', branchKept: expect.stringContaining('main') },
      { run: { name: 'dirty' }, status: 'kept', why: expect.stringContaining('a.txt') },
      { run: { name: 'left' }, status: 'kept', why: expect.stringContaining('not ended') },
    ]
    expect(await host.cleanWorktrees({ dryRun: true })).toMatchObject(wanted)
    expect(existsSync(merged)).toBe(true)
    expect(await host.cleanWorktrees()).toMatchObject(wanted)
    expect([merged, unmerged, dirty].map((folder) => existsSync(folder))).toEqual([
      false,
      false,
      true,
    ])
    const branches = repository.git('branch', '--list', '--format=%(refname:short)', 'run/*')
    expect(branches.trim().split('\n')).toEqual(['run/dirty', 'run/left', 'run/unmerged'])
  })

  test('keeps worktrees of another state folder, and those that were created a moment ago', async () => {
    const host = await newHost()
    const other = await newHost()
    const repository = newRepository()
    await startIn(other, repository, 'theirs')
    const place = await host.place({ workspace: repository.checkout, worktree: true })
    const options = { repository: repository.checkout }
    expect(await host.cleanWorktrees(options)).toMatchObject([
      { status: 'kept', why: expect.stringContaining('not in this state folder') },
      { status: 'kept', why: expect.stringContaining('within the last hour') },
    ])
    await place.leave()
  })

  test('removes worktrees of runs that were killed before they started, once they are old', async () => {
    const host = await newHost()
    const repository = newRepository()
    const refs = repository.git('for-each-ref')
    const { workspace = '' } = await host.place({ workspace: repository.checkout, worktree: true })
    const later = { ...systemClock, now: () => Date.now() + 7_200_000 }
    const options = { repository: repository.checkout }
    expect(await cleanWorktrees({ ...host, clock: later }, options)).toMatchObject([
      { status: 'removed', path: workspace },
    ])
    expect(existsSync(workspace)).toBe(false)
    expect(repository.git('for-each-ref')).toBe(refs)
  })

  test('with the run removes its worktree and its snapshots, but no work that exists nowhere else', async () => {
    const host = await newHost()
    const repository = newRepository()
    const folder = await startIn(host, repository, 'one')
    const dirty = await startIn(host, repository, 'two')
    writeFileSync(join(dirty, 'new.txt'), 'new')
    expect(await host.remove('one')).toMatchObject({
      worktree: { status: 'removed', branchKept: expect.stringContaining('main') },
    })
    expect(existsSync(folder)).toBe(false)
    expect(await host.remove('two')).toMatchObject({ worktree: { status: 'kept' } })
    expect(readFileSync(join(dirty, 'new.txt'), 'utf8')).toBe('new')
    expect(repository.git('for-each-ref', 'refs/loopwright')).toBe('')
    expect(subjects(repository, 'run/one')).toHaveLength(4)
  })
})

test('a run whose repository is missing is not forgotten with its files, unless that is requested', async () => {
  const repository = newRepository()
  const host = await newHost()
  await startIn(host, repository)
  renameSync(repository.checkout, `${repository.checkout}-away`)
  await expect(host.remove('work')).rejects.toMatchObject({ code: 'workspace-failed' })
  expect((await host.list()).map(({ name }) => name)).toEqual(['work'])
  renameSync(`${repository.checkout}-away`, repository.checkout)
  expect(await host.remove('work')).toMatchObject({ worktree: { status: 'removed' } })
  expect(repository.git('for-each-ref', 'refs/loopwright')).toBe('')
  await startIn(host, repository, 'other')
  renameSync(repository.checkout, `${repository.checkout}-away`)
  expect(await host.remove('other', { force: true })).toMatchObject({
    worktree: { status: 'failed' },
  })
  expect(await host.list()).toEqual([])
})

describe('merged work', () => {
  test('is one commit on the branch of its loop', async () => {
    const repository = newRepository()
    const host = await newHost()
    await startIn(host, repository)
    expect(await host.merge('work')).toMatchObject({ status: 'merged', target: 'agent/lines' })
    expect(subjects(repository, 'agent/lines')).toEqual(['lines: work'])
    expect(await host.merge('work')).toEqual({ status: 'nothing', target: 'agent/lines' })
    expect(repository.git('status', '--porcelain')).toBe('')
    const [entry] = await host.worktrees()
    expect(entry?.state.unmerged).toBeUndefined()
  })

  test('requires a run with a branch', async () => {
    const repository = newRepository()
    const host = await newHost()
    const options = { input: 4, workspace: repository.checkout, worktree: false, name: 'here' }
    await (await host.start(lines, options)).done
    await expect(host.merge('here')).rejects.toMatchObject({ code: 'bad-request' })
  })
})
