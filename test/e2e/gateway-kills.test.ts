import { expect, test } from 'vitest'
import { killAgents } from '../../build/proof/agent-kills.js'

test('after kill -9 no process of an agent remains, and its requests are paid for', async () => {
  const { kills, problems } = await killAgents(3, () => undefined)
  expect(problems).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(3)
}, 120_000)
