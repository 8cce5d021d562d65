/** A run in a worktree of a repository that is removed afterwards. */

import { expect } from 'vitest'
import type { Host, StartOptions } from '../src/host/index.ts'
import { afterStory } from './after.ts'
import { lines } from './host-fixture.ts'
import { createGitFixture, type GitFixture } from './workspace/git-fixture.ts'

export function newRepository(files?: Readonly<Record<string, string>>): GitFixture {
  const fixture = createGitFixture(files)
  afterStory(() => fixture.remove())
  return fixture
}

/** Runs to its end; returns where it worked. */
export async function startIn(
  host: Host,
  repository: GitFixture,
  name = 'work',
  more: Pick<StartOptions<number>, 'policy' | 'level' | 'seals'> = {},
): Promise<string> {
  const options = { input: 4, workspace: repository.checkout, worktree: true, name, ...more }
  const handle = await host.start(lines, options)
  expect(await handle.done).toMatchObject({ outcome: { type: 'completed' } })
  return (await host.inspect(name)).run.workspace ?? ''
}

/** Of the commits that a branch has and `main` does not, newest first. */
export const subjects = (repository: GitFixture, branch: string): readonly string[] =>
  repository.git('log', '--format=%s', `main..${branch}`).trim().split('\n').filter(Boolean)

/** What such a run writes. */
export const text = 'line 1\nline 2\nline 3\nline 4\n'
