/**
 * What is made from the journal of a run in a git worktree: forks, replays, files, trees, diffs.
 */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lines, newFolder, newHost } from './host-fixture.ts'
import { append, loopOf, replay, words } from './replay-fixture.ts'
import { newRepository, startIn, subjects, text } from './worktree-fixture.ts'

describe('a fork of a run in a worktree', () => {
  test('has a separate worktree, from the commit of the checkpoint', async () => {
    const host = await newHost()
    const repository = newRepository()
    await startIn(host, repository)
    const fork = await host.fork('work', lines, { iteration: 2, name: 'fork' })
    expect(await fork.done).toMatchObject({ outcome: { type: 'completed' } })
    const base = repository.git('merge-base', 'run/work', 'run/fork').trim()
    expect(base).toBe(repository.git('rev-parse', 'run/work~2').trim())
    expect(subjects(repository, 'run/fork').slice(0, 2)).toEqual([
      'fork: iteration 4',
      'fork: iteration 3',
    ])
    expect(await host.compareFork('fork')).toMatchObject({ iteration: 2, fork: { iterations: 2 } })
  })

  test('works after the worktree and the branch of the original are gone', async () => {
    const host = await newHost()
    const repository = newRepository()
    await startIn(host, repository)
    repository.git('merge', '-q', '--squash', 'run/work')
    repository.commitAll('landed')
    expect(await host.cleanWorktrees()).toMatchObject([{ status: 'removed' }])
    expect(repository.git('branch', '--list', 'run/*')).toBe('')
    const fork = await host.fork('work', lines, { iteration: 2, name: 'fork' })
    await fork.done
    const { run } = await host.inspect('fork')
    expect(readFileSync(join(run.workspace ?? '', 'lines.txt'), 'utf8')).toBe(text)
  })

  test('can be created in a plain folder, which is then not a worktree', async () => {
    const host = await newHost()
    const repository = newRepository()
    await startIn(host, repository)
    const workspace = newFolder()
    const fork = await host.fork('work', lines, { iteration: 2, name: 'fork', workspace })
    expect(await fork.done).toMatchObject({ outcome: { type: 'completed' } })
    expect(readFileSync(join(workspace, 'lines.txt'), 'utf8')).toBe(text)
    expect(readdirSync(workspace).toSorted()).toEqual(['a.txt', 'lines.txt'])
    const { state } = await host.inspect('fork')
    expect(state.tree).not.toMatch(/^git:/)
    expect(await host.diff('fork')).toMatchObject({
      files: [{ path: 'lines.txt', added: 2, removed: 0 }],
      patch: expect.stringContaining('+line 4'),
    })
  })
})

describe('the journal of a run in a worktree', () => {
  test('can be replayed, and the replay leaves only its own journal', async () => {
    const host = await newHost()
    const repository = newRepository({ 'a.txt': 'a', '.gitignore': 'cache\n' })
    const loop = loopOf(async (it) => {
      await append(it, `line ${it.number}`)
      await it.step('cache', () =>
        writeFileSync(join(it.workspace?.path ?? '', 'cache'), `${Math.random()}`))
    })
    const limits = { iterations: 2 }
    const options = { input: null, workspace: repository.checkout, worktree: true, name: 'origin' }
    await (await host.start(loop, { ...options, limits })).done
    const again = await host.replay('origin')
    const handle = await again.start(loop, {})
    await handle.done
    const result = await again.result(handle.id)
    expect(words(result)).toBe('same')
    await again.removeFiles()
    expect(existsSync(again.workspace ?? '')).toBe(false)
    expect(repository.git('branch', '--list', 'replay/*')).toBe('')
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(2)
    const other = loopOf((it) => append(it, `line ${it.number}${it.number === 2 ? '!' : ''}`))
    const differs = await replay(host, 'origin', other)
    expect(differs.same).toBe(false)
    const kept = { run: { id: differs.run }, status: 'kept', why: expect.stringContaining('rm') }
    expect(await host.cleanWorktrees()).toMatchObject([{ status: 'removed' }, kept])
    await host.remove(differs.run)
    expect(repository.git('branch', '--list', 'replay/*')).toBe('')
    expect(existsSync(differs.workspace ?? '')).toBe(false)
  })

  test('continues elsewhere from its checkpoint file, without the repository', async () => {
    const host = await newHost()
    const repository = newRepository({ 'a.txt': 'a', 'run me.sh': 'echo', 'bin/x': '\xff' })
    await startIn(host, repository)
    const file = await host.exportCheckpoint('work', { iteration: 2 })
    rmSync(repository.checkout, { recursive: true })
    const elsewhere = await newHost()
    const workspace = newFolder()
    const handle = await elsewhere.restoreCheckpoint(file, lines, { workspace, name: 'there' })
    expect(await handle.done).toMatchObject({ outcome: { type: 'completed' } })
    expect(readFileSync(join(workspace, 'lines.txt'), 'utf8')).toBe(text)
    expect(readFileSync(join(workspace, 'run me.sh'), 'utf8')).toBe('echo')
    expect(await elsewhere.problems()).toEqual([])
  })

  test('has its trees: they are extracted into folders, survive gc, and are reported if missing', async () => {
    const host = await newHost()
    const repository = newRepository()
    await startIn(host, repository)
    const { state } = await host.inspect('work')
    await host.collectGarbage()
    repository.git('gc', '-q', '--prune=now')
    const folder = join(newFolder(), 'out')
    await host.extract(state.tree?.slice(0, 20) ?? '', folder)
    expect(readFileSync(join(folder, 'lines.txt'), 'utf8')).toBe(text)
    expect(existsSync(join(folder, '.git'))).toBe(false)
    expect(await host.problems()).toEqual([])
    rmSync(repository.checkout, { recursive: true })
    expect(await host.problems()).toEqual(
      expect.arrayContaining([expect.stringContaining(state.tree ?? '?')]),
    )
  })

  test('shows what changed, for the run and for an iteration', async () => {
    const host = await newHost()
    const repository = newRepository()
    await startIn(host, repository)
    expect(await host.diff('work', { stat: true })).toEqual(
      expect.objectContaining({ files: [{ path: 'lines.txt', added: 4, removed: 0 }] }),
    )
    const { patch, files } = await host.diff('work', { iteration: 3 })
    expect(files).toEqual([{ path: 'lines.txt', added: 1, removed: 0 }])
    expect(patch).toContain('+line 3')
    expect(patch).not.toContain('+line 2')
    await expect(host.diff('work', { iteration: 9 })).rejects.toMatchObject({
      code: 'unknown-checkpoint',
    })
  })
})
