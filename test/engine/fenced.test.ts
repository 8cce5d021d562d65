import { expect, test } from 'vitest'
import { openLocalStore } from '../../src/testing/open-local-store.ts'
import { createWorld, loopOf, memoryWorkspace } from './fixture.ts'

const pastLeaseMs = 60_000

test('E2: a process that lost its run leaves the files of the next one alone', async () => {
  const workspace = memoryWorkspace({ log: 'before' })
  let nowMs = Date.now()
  const journal = openLocalStore({ path: ':memory:', now: () => nowMs })
  const world = createWorld({ workspace, journal })
  const loop = loopOf<null>(async (_context, it) => {
    await it.step('write', async () => {
      // Frozen so long that another process takes the run over and changes the files.
      nowMs += pastLeaseMs
      await journal.acquire(run, 'another')
      workspace.files.set('log', 'of the other')
      throw Object.assign(new Error('try again'), { code: 'EAGAIN' })
    })
    return null
  })
  const run = await world.start(loop)
  await expect(world.finish(run, loop)).rejects.toMatchObject({ code: 'fenced' })
  expect(workspace.restored).toEqual([])
  expect(workspace.files.get('log')).toBe('of the other')
})
