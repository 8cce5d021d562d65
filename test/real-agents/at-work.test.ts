/** Each program fixes a failing test, headless and through the Agent Client Protocol. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { billOf } from '../e2e/gateway-fixture.ts'
import { eventsOf } from '../e2e/loop-fixture.ts'
import {
  alive,
  failingProject,
  filesWith,
  key,
  mend,
  mending,
  play,
  programs,
} from './real-programs.ts'

const ways = [
  ['headless', (name: string) => name],
  ['acp', (name: string) => `{ acp: ${name} }`],
] as const

describe.each(programs)('%s', (name) => {
  describe.each(ways)('%s', (_way, agentOf) => {
    test('fixes a failing test in a worktree, in the strong sandbox, metered to the token', async () => {
      const at = failingProject(agentOf(name))
      const played = await play(at, mending(mend))
      expect(played).toMatchObject({ code: 0, outcome: 'completed' })
      expect(eventsOf(played, 'run-started')[0]).toMatchObject({ sandbox: { tier: 'strong' } })

      expect(played.reports).toMatchObject([{ status: 'done', ended: 'claimed' }])
      expect(played.spentTokens).toBe(billOf(played.server))
      expect(played.spentTokens).toBeGreaterThan(1000)
      expect(filesWith(key, at.work, at.state, played.folder)).toEqual([])
      expect(await alive(at, played)).toEqual([])

      expect(readFileSync(join(played.folder, 'sum.js'), 'utf8')).toContain('a + b')
      expect(played.folder).not.toBe(at.work)
      expect(readFileSync(join(at.work, 'sum.js'), 'utf8')).toContain('a - b')
    })
  })
})
