import { expect, test } from 'vitest'
import { killAgents } from '../../build/proof/agent-kills.js'

test('after kill -9 nothing of an agent goes on or stays, and what it asked is paid for', async () => {
  const { kills, problems } = await killAgents(3, () => undefined)
  expect(problems).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(3)
}, 120_000)
