// A small part of `npm run proof -- --only workspace`, through the same code.

import { expect, test } from 'vitest'
import { runGitKill, runGitKills } from '../../build/proof/git-kills.js'
import { share } from '../share.ts'

const note = (): void => undefined

test('kill -9 at any step of a worktree loses nothing and leaves nothing behind', async () => {
  const { kills, findings } = await runGitKills({ scale: 0.006, note })
  expect(findings).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(1)
}, 240_000)

const chosen = [
  { site: 'git.worktree-add', phase: 'half', occurrence: 1 },
  { site: 'git.read-tree', phase: 'during', occurrence: 2 },
  { site: 'git.read-tree', phase: 'half', occurrence: 1 },
  { site: 'git.worktree-remove', phase: 'half', occurrence: 1 },
] as const

test.each(chosen.slice(0, share(4, 2)))(
  'kill -9 at $site, $phase, is recovered from',
  async (kill) => {
    const { findings } = await runGitKill(kill)
    expect(findings).toEqual([])
  },
  240_000,
)
