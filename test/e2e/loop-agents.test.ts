/**
 * Loop files with each kind of agent, run by the built loopctl. Models are scripted: a server on
 * loopback answers in the providers' wire formats. MCP servers are real.
 */

import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../src/testing/model-server.ts'
import { ctl, ctlWith, endOf, eventsOf, type Place, place, toolCalls } from './loop-fixture.ts'

const key = 'sk-secret-0123456789abcdef'

const providers = [
  ['anthropic/claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
  ['openai/gpt-5', 'OPENAI_API_KEY'],
  ['google/gemini-2.5-flash', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['openai-compatible/local', 'LOCAL_KEY'],
] as const

/** All files of a test, as text. */
function everything(folder: string): string {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // SQLite's index of its log is removed when the journal is closed, and contains no text.
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .map((path) => readFileSync(path, 'latin1'))
      .join('\n')
  )
}

describe('a model as the agent', () => {
  test.each(providers)(
    '%s: works with our tools until the check passes',
    async (model, variable) => {
      await using server = await startModelServer([
        { calls: [{ name: 'read', args: { path: 'a.txt' } }], usage: { input: 900, output: 40 } },
        { calls: [{ name: 'edit', args: { path: 'a.txt', old: 'one', new: 'two' } }] },
        { text: 'I changed it.' },
      ])
      const at = place(
        `
prompt: Make a.txt say two.
checks: { two: grep -qx two a.txt }
agent: { model: ${model}, baseUrl: '${server.url}', apiKeyEnv: ${variable}, maxOutputTokens: 1000 }
`,
        { 'a.txt': 'one\n' },
      )
      const args = ['--json', 'run', at.file, '--trust', '--name', 'story']
      const ended = await ctlWith(at, { [variable]: key }, ...args)
      expect(ended.stderr).toBe('')
      expect(ended.code).toBe(0)
      expect(toolCalls(ended).map(({ tool, ok }) => [tool, ok])).toEqual([
        ['read', true],
        ['edit', true],
      ])
      expect(server.requests).toHaveLength(3)
      expect(server.requests[0]?.tools).toContain('edit')
      expect(eventsOf(ended, 'budget-reserved')).toHaveLength(3)
      const { stdout } = await ctl(at, '--json', 'inspect', 'story')
      const { state } = JSON.parse(stdout) as { state: { spent: { tokens: number } } }
      expect(state.spent.tokens).toBeGreaterThanOrEqual(940)
      expect(ended.stdout).not.toContain(key)
      expect(everything(join(at.file, '..'))).not.toContain(key)
    },
  )

  test('without its key is refused before anything starts, with the variable to set', async () => {
    const at = place(`
prompt: Go.
checks: { a: 'true' }
agent: { model: anthropic/claude-sonnet-4-5 }
`)
    const ended = await ctl(at, 'run', at.file, '--trust')
    expect(ended.code).toBe(78)
    expect(ended.stderr).toContain('ANTHROPIC_API_KEY')
    expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
  })
})

describe('a command as the agent', () => {
  function withAgent(script: string, more = ''): Place {
    const at = place(`
prompt: "Write the word {{ input.word }}."
input: { word: please }
checks: { said: grep -qx please said.txt }
agent: { command: [./../agent.sh]${more} }
limits: { iterations: 2 }
`)
    const file = join(at.work, '../agent.sh')
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return at
  }

  test('gets the prompt on its standard input, and works in the workspace', async () => {
    const at = withAgent('read -r prompt; echo "I was told: $prompt"; echo please > said.txt')
    const ended = await ctl(at, '--json', 'run', at.file, '--trust')
    expect(ended.code).toBe(0)
    const reports = eventsOf(ended, 'step-finished').filter(({ step }) => step === 'agent:maker#1')
    expect(JSON.stringify(reports[0])).toContain('I was told: Write the word please.')
  })

  test('sees only the variables it is given', async () => {
    const at = withAgent(
      'test -z "$HIDDEN" && test "$SHOWN" = yes && echo please > said.txt',
      ', env: [SHOWN]',
    )
    const ended = await ctlWith(at, { HIDDEN: 'x', SHOWN: 'yes' }, 'run', at.file, '--trust')
    expect(ended.code).toBe(0)
  })

  test('that exits with an error has failed, and its work is still checked', async () => {
    const at = withAgent('echo please > said.txt; echo oops >&2; exit 3')
    const ended = await ctl(at, '--json', 'run', at.file, '--trust')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('"status":"failed"')
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
  })

  test('that is missing starts no run, and says what to do', async () => {
    const at = place(`
prompt: Go.
checks: { a: 'false' }
agent: { command: [no-such-agent-program] }
`)
    const ended = await ctl(at, 'run', at.file, '--trust')
    expect(ended.code).toBe(78)
    expect(ended.stderr).toContain('the program no-such-agent-program was not found')
    expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
  })
})

describe('an MCP server', () => {
  const require = createRequire(import.meta.url)
  const server = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')

  test('provides its tools to the agent and to loopctl tools', async () => {
    const at = place(`
prompt: Go.
mcp: { files: { command: [${process.execPath}, ${server}, .] } }
tools: [read, files__write_file]
checks: { written: grep -qx hello a.txt }
agent:
  script: [[{ call: files__write_file, args: { path: a.txt, content: "hello\\n" } }, { say: ok }]]
`)
    const listed = await ctl(at, 'tools', 'write', '--loop', at.file, '--trust')
    expect(listed.code).toBe(0)
    expect(listed.stdout).toContain('files__write_file')
    expect(listed.stdout).not.toContain('files__move_file')
    const ended = await ctl(at, '--json', 'run', at.file)
    expect(toolCalls(ended)).toMatchObject([{ tool: 'files__write_file', ok: true }])
    expect(ended.code).toBe(0)
  })

  test('that cannot be reached is a warning, and an error when one of its tools is needed', async () => {
    const loop = `
prompt: Go.
mcp: { gone: { url: 'http://127.0.0.1:9/mcp' } }
checks: { a: 'true' }
agent: { script: [[{ say: ok }]] }
`
    const without = place(loop)
    const ended = await ctl(without, 'run', without.file, '--trust')
    expect(ended.stderr).toMatch(/warning: MCP server gone/)
    expect(ended.code).toBe(0)
    const needed = place(`${loop}tools: [gone__search]\n`)
    const refused = await ctl(needed, 'run', needed.file, '--trust')
    expect(refused.code).toBe(65)
    expect(refused.stderr).toContain('gone__search')
  })
})
