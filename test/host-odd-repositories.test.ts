/** Runs in unusual repositories, with real git and a real journal, in this process. */

import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lines, newHost } from './host-fixture.ts'
import { newRepository } from './worktree-fixture.ts'

describe('a run in a worktree', () => {
  test('also works in a bare repository, but never in a git directory', async () => {
    const host = await newHost()
    const { checkout, folder, gitIn } = newRepository()
    const bare = join(folder, 'bare.git')
    gitIn(folder, 'clone', '-q', '--bare', checkout, bare)
    for (const worktree of [true, 'auto'] as const) {
      const place = await host.place({ workspace: bare, worktree, name: `of ${worktree}` })
      expect(place.workspace).toBe(join(folder, `bare.run-of-${worktree}`))
      const handle = await host.start(lines, { input: 2, place })
      expect(await handle.done).toMatchObject({ outcome: { type: 'completed' } })
    }
    const inside = [bare, join(bare, 'hooks'), join(checkout, '.git'), join(checkout, '.git/refs')]
    for (const workspace of inside) {
      const refused = { code: 'bad-request', message: expect.stringContaining('a git directory') }
      await expect(host.place({ workspace })).rejects.toMatchObject(refused)
      await expect(host.place({ workspace, worktree: false })).rejects.toMatchObject(refused)
      if (workspace === bare) continue
      await expect(host.place({ workspace, worktree: 'auto' })).rejects.toMatchObject(refused)
      await expect(host.place({ workspace, worktree: true })).rejects.toThrow(/Pass .* as the work/)
    }
    gitIn(bare, 'worktree', 'add', '-q', 'inner')
    const inner = join(bare, 'inner')
    expect(await host.place({ workspace: inner })).toMatchObject({ workspace: inner })
  })

  test('is not created if the path of the repository has a line break, and says so', async () => {
    const host = await newHost()
    const { checkout, folder } = newRepository()
    const workspace = join(folder, 'two\nlines')
    renameSync(checkout, workspace)
    await expect(host.place({ workspace, worktree: 'auto' })).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringMatching(/line break.*--in-place/),
    })
    expect(await host.place({ workspace, worktree: false })).toMatchObject({ workspace })
  })
})
