// A build in memory, with a scripted maker and reviewer: the story of a plan, task by task.

import { describe, expect, test } from 'vitest'
import { planPath, playBuild } from './build-fixture.ts'

describe('a build', () => {
  test('does one task per iteration, has each reviewed, and completes certified', async () => {
    const { state, workspace, prompts, progress, world } = await playBuild({})
    expect(state.outcome).toEqual({
      type: 'completed',
      condition: 'all(plan-complete, checks-pass)',
    })
    expect(state.iteration).toBe(3)
    expect(workspace.files.get(planPath)).toBe(
      '# Plan\n\n- [R] Write part 1\n- [R] Write part 2\n- [R] Write part 3\n',
    )
    expect(prompts.map(({ role }) => role)).toEqual(
      Array.from({ length: 3 }, () => ['maker', 'reviewer']).flat(),
    )
    expect(progress.failures).toEqual({ review: 0, verification: 0, draft: 0 })
    expect(world).toBeDefined()
  })
})
