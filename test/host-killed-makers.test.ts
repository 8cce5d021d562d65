/** Worktrees whose maker was killed before its run was on record. */

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOwnerId } from '../src/system/index.ts'
import { newHost } from './host-fixture.ts'
import { newRepository } from './worktree-fixture.ts'

/** This process under the number of one that is dead. */
function deadOwner(): string {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const [host, namespace, , ...rest] = createOwnerId().split('|')
  return [host, namespace, pid, ...rest].join('|')
}

test('what a killed maker left is found and goes at once; that of a living one stays', async () => {
  const host = await newHost()
  const repository = newRepository()
  const refs = repository.git('for-each-ref')
  const place = await host.place({ workspace: repository.checkout, worktree: true, name: 'r' })
  // Nothing is on record yet: the repository is known all the same.
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

  // Nor does a record that cannot be read keep anybody from making another.
  writeFileSync(join(folder, 'bad.json'), '{')
  const next = await host.place({ workspace: repository.checkout, worktree: true, name: 'r' })
  expect(next.worktree?.branch).toBe('run/r')
})
