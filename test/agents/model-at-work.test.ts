// A scripted model, the built-in tools, a real folder and a real check.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgents, resolveModel } from '../../src/agents/index.ts'
import { modelAgent } from '../../src/agents/model-agent.ts'
import { commandCheck, createPlainCommands, type LoopType, openHost } from '../../src/host/index.ts'
import { type ModelAnswer, startModelServer } from '../../src/testing/model-server.ts'
import { builtInTools, createTools } from '../../src/tools/index.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-at-work-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const fixing: LoopType<null, null, number, number> = {
  name: 'fixing',
  createContext: () => null,
  async iterate(_context, it) {
    await it.agent('maker', { prompt: 'Make sum.mjs add, and not subtract.' })
    await it.check()
    return it.number
  },
  extractProgress: (result) => result,
  until: [{ type: 'checks-pass' }],
}

const call = (name: string, args: { readonly [key: string]: string }): ModelAnswer => ({
  calls: [{ name, args }],
})

test('a model edits a file until the check passes; its mistakes are returned to it as data', async () => {
  const file = join(folder, 'sum.mjs')
  await writeFile(file, 'export const sum = (a, b) => a - b\n')
  const check = "import { sum } from './sum.mjs'; process.exit(sum(1, 2) === 3 ? 0 : 1)"
  await using server = await startModelServer([
    // Not read yet; outside the workspace; then valid, but wrong.
    call('edit', { path: 'sum.mjs', old: 'a - b', new: 'a * b' }),
    call('read', { path: '/etc/hostname' }),
    call('read', { path: 'sum.mjs' }),
    call('edit', { path: 'sum.mjs', old: 'a - b', new: 'a * b' }),
    { text: 'It adds now.' },
    call('read', { path: 'sum.mjs' }),
    call('edit', { path: 'sum.mjs', old: 'a * b', new: 'a + b' }),
    { text: 'It really adds now.' },
  ])
  const model = await resolveModel('openai/gpt-4o', {
    baseUrl: server.url,
    env: { OPENAI_API_KEY: 'sk-secret-0123456789' },
  })
  const commands = createPlainCommands()
  const host = await openHost({ folder: join(folder, '.state') })
  try {
    const run = await host.start(fixing, {
      input: null,
      workspace: folder,
      exclude: ['.state'],
      agents: createAgents({ maker: modelAgent(model) }),
      tools: createTools({ tools: builtInTools({ commands }) }),
      checks: { adds: commandCheck(process.execPath, ['--input-type=module', '-e', check]) },
    })
    const end = await run.done
    expect(end).toMatchObject({ outcome: { type: 'completed' } })
  } finally {
    await host.close()
  }
  expect(await readFile(file, 'utf8')).toBe('export const sum = (a, b) => a + b\n')
  expect(server.requests).toHaveLength(8)
  const told = server.requests.map(({ body }) => JSON.stringify(body))
  expect(told[1]).toContain('error (')
  expect(told[2]).toContain('error (outside-workspace)')
  expect(server.requests[0]?.tools).toContain('grep')
})
