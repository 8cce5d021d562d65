/** A `.git` that an agent may have created is not mistaken for the user's repository. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { planWorktree } from '../src/runs/worktree-options.ts'
import { lines, newHost, slow } from './host-fixture.ts'
import { newRepository, startIn } from './worktree-fixture.ts'

type NewHost = Awaited<ReturnType<typeof newHost>>

async function work(host: NewHost, workspace: string): Promise<void> {
  const handle = await host.start(lines, { input: 1, workspace, name: 'worker' })
  expect(await handle.done).toMatchObject({ outcome: { type: 'completed' } })
}

/** Like an agent: with a commit of all existing files. */
function makeGit(folder: string): void {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@localhost']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'x', '--allow-empty'],
  ]) {
    execFileSync('git', [...identity, ...args], { cwd: folder })
  }
}

function newFolder(): string {
  const folder = join(newRepository().folder, 'plain')
  mkdirSync(folder)
  return folder
}

describe('a repository at the top of a folder', () => {
  test('in a former plain workspace of a run is not trusted', async () => {
    const host = await newHost()
    const workspace = newFolder()
    await work(host, workspace)
    makeGit(workspace)
    const place = await host.place({ workspace, worktree: 'auto' })
    expect(place).toMatchObject({ workspace, worktree: undefined })
    expect(place.why).toMatch(/may have been created by the agent of run "worker".*pass --worktree/)
    expect(await planWorktree(workspace, 'auto', host)).toMatchObject({ isUsed: false })
    await expect(host.place({ workspace, worktree: true })).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringMatching(/agent of run "worker".*--worktree.*--in-place/s),
    })
  })

  test('is trusted if a person says so', async () => {
    const host = await newHost()
    const workspace = newFolder()
    await work(host, workspace)
    makeGit(workspace)
    const place = await host.place({ workspace, worktree: true, isVouched: true })
    expect(place.workspace).not.toBe(workspace)
    await place.leave()
  })

  test('inside the workspace of a run is not trusted, nor in its worktree', async () => {
    const host = await newHost()
    const repository = newRepository()
    const worktree = await startIn(host, repository, 'in worktree')
    const plain = newFolder()
    await work(host, plain)
    for (const above of [worktree, plain]) {
      const workspace = join(above, 'deep/inner')
      mkdirSync(workspace, { recursive: true })
      writeFileSync(join(workspace, 'a'), 'a')
      makeGit(workspace)
      const place = await host.place({ workspace, worktree: 'auto' })
      expect(place.worktree).toBeUndefined()
      expect(place.why).toContain(`which worked in ${above}`)
      await expect(host.place({ workspace, worktree: true })).rejects.toThrow(
        'Cannot create a worktree',
      )
    }
  })

  test('that existed before is trusted, in place or not', async () => {
    const host = await newHost()
    const { checkout, git, commitAll } = newRepository()
    await work(host, checkout)
    commitAll()
    const place = await host.place({ workspace: checkout, worktree: 'auto' })
    expect(place.worktree).toBeDefined()
    await place.leave()
    expect(git('status', '--porcelain')).toBe('')
  })
})

test('a worktree that a repository names for a run is used only if the run names it too', async () => {
  const host = await newHost()
  const { checkout, folder } = newRepository()
  const place = await host.place({ workspace: checkout, worktree: true, name: 'left' })
  const handle = await host.start(slow, { input: null, place })
  handle.shutDown()
  await handle.done
  const file = join(checkout, '.git/loopwright/worktrees', `${place.id}.json`)
  const record = JSON.parse(readFileSync(file, 'utf8')) as object
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(file, JSON.stringify({ ...record, path: elsewhere }))
  await expect(host.resume('left', slow)).rejects.toThrow(`has ${elsewhere} as the worktree`)
  expect(existsSync(elsewhere)).toBe(false)
})
