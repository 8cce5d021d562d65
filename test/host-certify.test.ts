import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lines, newFolder, newHost } from './host-fixture.ts'
import { newRepository, startIn } from './worktree-fixture.ts'

test('a fault of the installation is not a fault of the work: the run is suspended, and certified once it is fixed', async () => {
  const folder = join(newFolder(), 'state')
  const host = await newHost(folder)
  mkdirSync(join(folder, 'keys'), { mode: 0o755 })
  chmodSync(join(folder, 'keys'), 0o755)
  const run = await host.start(lines, { input: 4, workspace: newFolder(), name: 'keys' })
  await expect(run.done).rejects.toMatchObject({
    code: 'workspace-failed',
    message: expect.stringContaining('chmod 700'),
  })
  const { state: left } = await host.inspect('keys')
  expect(left).toMatchObject({ status: 'suspended', iteration: 3 })

  chmodSync(join(folder, 'keys'), 0o700)
  expect(await (await host.resume('keys', lines)).done).toMatchObject({ type: 'ended' })
  const { state } = await host.inspect('keys')
  expect(state).toMatchObject({ status: 'completed', iteration: 4 })
  expect(state.certificate?.id).toMatch(/^[0-9a-f]{64}$/)
})

test('certified work is merged, without later additions', async () => {
  const host = await newHost()
  const repository = newRepository()
  await startIn(host, repository)
  const certified = repository.git('rev-parse', 'run/work').trim()
  const tree = repository.git('rev-parse', 'HEAD^{tree}').trim()
  const other = repository.git('commit-tree', tree, '-p', certified, '-m', 'on top').trim()
  repository.git('update-ref', 'refs/heads/run/work', other)
  await expect(host.merge('work')).rejects.toMatchObject({ code: 'wrong-status' })
  repository.git('update-ref', 'refs/heads/run/work', certified)
  expect(await host.merge('work')).toMatchObject({ status: 'merged' })
})
