import { expect, test } from 'vitest'
import { isLoopError } from '../loop/index.ts'
import { createAgentContext } from '../testing/agent-context.ts'
import { createAgents } from './agent.ts'
import { scriptedAgent } from './scripted-agent.ts'

test('agents are known by role, and an unknown role is refused with the known ones', async () => {
  const agents = createAgents({ maker: scriptedAgent([[{ say: 'made' }]]) })
  const task = { prompt: 'Go.' }
  const report = await agents.work('maker', task, createAgentContext())
  expect(report.text).toBe('(scripted) made')
  const error: unknown = await agents
    .work('toString', task, createAgentContext())
    .catch((thrown: unknown) => thrown)
  expect(isLoopError(error, 'not-configured') && error.message).toContain(
    'Configured roles: maker.',
  )
})
