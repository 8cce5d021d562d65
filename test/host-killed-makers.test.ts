/** Worktrees whose creator was killed before its run was recorded. */

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOwnerId } from '../src/system/index.ts'
import { newHost } from './host-fixture.ts'
import { newRepository } from './worktree-fixture.ts'

/** This process under the pid of a dead one. */
function deadOwner(): string {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const [host, namespace, , ...rest] = createOwnerId().split('|')
  return [host, namespace, pid, ...rest].join('|')
}

test('leftovers of a killed creator are found and removed at once; those of a living one stay', async () => {
  const host = await newHost()
  const repository = newRepository()
  const refs = repository.git('for-each-ref')
  const place = await host.place({ workspace: repository.checkout, worktree: true, name: 'r' })
  // Nothing is recorded yet: the repository is known anyway.
  expect(await host.worktrees()).toMatchObject([{ branch: 'run/r', status: 'there' }])
  const alive = [{ status: 'kept', why: expect.stringContaining('within the last hour') }]
  expect(await host.cleanWorktrees()).toMatchObject(alive)

  const folder = join(repository.checkout, '.git/loopwright/worktrees')
  const [name = ''] = readdirSync(folder)
  const record = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { maker: string }
  expect(record.maker.split('|')[2]).toBe(String(process.pid))
  writeFileSync(join(folder, name), JSON.stringify({ ...record, maker: deadOwner() }))
  writeFileSync(join(folder, `${name}.half`), '{')
  expect(await host.cleanWorktrees()).toMatchObject([{ status: 'removed', branch: 'run/r' }])
  expect(readdirSync(folder)).toEqual([])
  expect(existsSync(place.workspace ?? '')).toBe(false)
  expect(repository.git('for-each-ref')).toBe(refs)
  expect(await host.worktrees()).toEqual([])

  // An unreadable record does not prevent the creation of another one.
  writeFileSync(join(folder, 'bad.json'), '{')
  const next = await host.place({ workspace: repository.checkout, worktree: true, name: 'r' })
  expect(next.worktree?.branch).toBe('run/r')
})
