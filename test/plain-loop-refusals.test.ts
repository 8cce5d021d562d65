import { expect, test } from 'vitest'
import type { Agents } from '../src/engine/index.ts'
import { plainLoop } from '../src/loops/index.ts'
import { createFakeCertifier } from '../src/testing/fake-certifier.ts'
import { createWorld, memoryWorkspace } from './engine/fixture.ts'

test('a plain loop tells the agent why its work was not certified, and templates have access to it', async () => {
  const workspace = memoryWorkspace()
  const prompts: string[] = []
  const agents: Agents = {
    async work(_role, { prompt }, { iteration }) {
      prompts.push(prompt)
      workspace.files.set('a', `${iteration}`)
      return { status: 'done', text: 'done', usage: { tokens: 1, costMicros: 1 }, turns: 1 }
    },
  }
  const message = 'The tests of the base fail: a.test.ts'
  const refusals = [{ code: 'sealed-failed', message }]
  const world = createWorld({
    workspace,
    agents,
    checks: { value: async () => ({ status: 'met', output: '' }) },
    certifier: createFakeCertifier(({ iteration }) =>
      iteration === 1 ? { type: 'refused', refusals } : undefined,
    ),
  })
  const loop = plainLoop({
    prompt: '{{ progress }}{% for one in refusals %} [{{ one.code }}]{% endfor %}',
  })
  const run = await world.start(loop, { input: {} })
  expect(await world.finish(run, loop)).toMatchObject({ outcome: { type: 'completed' } })
  expect((await world.state(run)).iteration).toBe(2)
  expect(prompts[0]).toBe('')
  expect(prompts[1]).toContain(`not certified: sealed-failed\n> ${message}`)
  expect(prompts[1]).toMatch(/\[sealed-failed\]$/)
})
