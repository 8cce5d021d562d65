/** Our own agents keep the contract that a user's agent has to keep. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { acpAgent } from '../../src/agents/acp/acp-agent.ts'
import { agentProgram, commandAgent, resolveModel, scriptedAgent } from '../../src/agents/index.ts'
import { modelAgent } from '../../src/agents/model-agent.ts'
import { programAgent } from '../../src/agents/programs/program-agent.ts'
import { repairAgent } from '../../src/agents/repair/repair-agent.ts'
import { createPlainCommands, openUnsandboxed } from '../../src/sandbox/index.ts'
import {
  type AgentContractOptions,
  agentContract,
  type ModelRequest,
  type ModelSpeech,
  startModelServer,
} from '../../src/testing/index.ts'
import { isWhole } from '../share.ts'

const commands = createPlainCommands()
const tools = { write: () => 'written' }
const usage = { tokens: 120, costMicros: 0 }

const scripted: AgentContractOptions = {
  tools,
  spends: true,
  make: ({ spending }) =>
    scriptedAgent(({ turn, prompt }) => {
      if (turn === 1) return { call: 'write', args: { content: prompt.slice(0, 100) }, usage }
      // Its provider would be called now, and this is what it would cost.
      spending({ tokens: 0, costMicros: 0 })
      return { say: prompt.slice(0, 100) }
    }),
}

const commandLine: AgentContractOptions = {
  make: ({ isSlow }) =>
    commandAgent({
      commands,
      // A child process, so that there is something to leave behind.
      command: ['sh', '-c', isSlow ? 'cat > prompt; sleep 60 & sleep 60' : 'head -c 100'],
    }),
}

const fakes = join(import.meta.dirname, 'fakes')

const program: AgentContractOptions = {
  make: ({ isSlow }) =>
    programAgent({
      program: agentProgram('claude'),
      command: [process.execPath, join(fakes, 'echoing-claude.mjs')],
      commands,
      url: 'http://127.0.0.1:4140',
      token: 'token-0123456789',
      home: '/nonexistent',
      settings: '/nonexistent',
      args: [],
      env: { FAKE_SLOW: isSlow ? '1' : '0' },
      spending: 'gateway',
    }),
}

const acp: AgentContractOptions = {
  needsWorkspace: true,
  make: ({ isSlow }) =>
    acpAgent({
      command: [process.execPath, join(fakes, 'acp.mjs'), isSlow ? 'stubborn' : 'honest'],
      start: (wanted) =>
        openUnsandboxed().start({ workspace: wanted.cwd ?? '/nonexistent' }, wanted),
      spending: 'gateway',
    }),
}

/** Writes a file, then reports, for any number of callers. */
function answer({ body }: ModelRequest): ModelSpeech {
  const asked = JSON.stringify(body)
  const [, word = 'nothing'] = /the word (\w+)/.exec(asked) ?? []
  return asked.includes('"tool_result"')
    ? { text: `It was ${word}.` }
    : { calls: [{ name: 'write', args: { content: word } }] }
}

const model: AgentContractOptions = {
  tools,
  spends: true,
  async make({ isSlow, spending }) {
    const server = await startModelServer((request) => {
      spending(usage)
      return isSlow ? { does: 'hang' } : answer(request)
    })
    const resolved = await resolveModel('anthropic/claude-sonnet-5', {
      baseUrl: server.url,
      env: { ANTHROPIC_API_KEY: 'sk-secret-0123456789' },
    })
    return { ...modelAgent(resolved), [Symbol.asyncDispose]: () => server.close() }
  },
}

const project = {
  'package.json': '{ "type": "module" }\n',
  'sum.js': 'export const sum = (a, b) => a - b\n',
  'test/sum.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from '../sum.js'
test('two and three', () => assert.equal(sum(2, 3), 5))
test('four and nothing', () => assert.equal(sum(4, 0), 4))
`,
}

const repair: AgentContractOptions = {
  needsWorkspace: true,
  // None of the two tests is held back, so only they support the edit.
  status: 'done-with-concerns',
  endMs: 30_000,
  startMs: 1500,
  make: ({ isSlow }) =>
    repairAgent({
      commands,
      heldBackShare: 0,
      workers: 1,
      checks: [isSlow ? ['sleep', '60'] : [process.execPath, '--test']],
    }),
  prepare(folder) {
    mkdirSync(join(folder, 'test'))
    for (const [path, text] of Object.entries(project)) writeFileSync(join(folder, path), text)
  },
}

const agents = { scripted, command: commandLine, program, acp, model, repair }

/** Each way to start one: in this process, as a program, over a protocol. */
const chosen = isWhole ? agents : { scripted, program, acp }

describe.each(Object.entries(chosen))('the %s agent', (_name, options) => {
  test.each(agentContract(options))(
    '$name',
    ({ run }) => expect(run()).resolves.toBeUndefined(),
    120_000,
  )
})
