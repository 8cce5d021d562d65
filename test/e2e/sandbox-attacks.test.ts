/**
 * The strong sandbox around each kind of process that a run starts, attacked by a hostile program.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ctlApart, endOf, toolCalls } from './loop-fixture.ts'
import {
  type AttackedWorkspace,
  createAttackedWorkspace,
  processesWith,
} from './sandbox-fixture.ts'

const filesServer = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
)
const modules = filesServer.replace(/(?<=node_modules)\/.*/, '')

function expectNothing(at: AttackedWorkspace, ...who: readonly string[]): void {
  for (const one of who) {
    expect([one, at.found(one)]).toEqual([one, []])
    expect(existsSync(join(at.work, `made-by-${one}`))).toBe(true)
  }
  const around = readdirSync(join(at.work, '..')).toSorted()
  expect(around).toEqual(['beside.txt', 'home', 'host.sock', 'loop.yaml', 'work'])
  expect(existsSync(join(at.work, '.git/hooks/pre-commit'))).toBe(false)
  expect(processesWith(at.canary)).toEqual([])
}

const loop = ({ attack }: Pick<AttackedWorkspace, 'attack'>): string => `
workspace: .
worktree: false
prompt: { file: prompt.md }
checks: { tried: '${attack('check')}' }
agent: { command: [sh, -c, '${attack('agent')}; echo done'] }
sandbox: { hide: [.env] }
limits: { iterations: 1 }
`

test('without a sandbox the same program succeeds everywhere', async () => {
  const at = await createAttackedWorkspace((one) =>
    loop(one).replace('hide: [.env]', 'require: none'),
  )
  // The check would run before the agent.
  await ctlApart(at, at.env, 'run', at.file, '--trust', '--attended', '--skip-preflight')
  expect(at.found('agent')).toEqual(
    expect.arrayContaining([
      'read beside.txt',
      'read home/key.txt',
      'read work/record/own.txt',
      'list what is beside',
      expect.stringMatching(/^environment of \d+$/),
      'write .git/hooks/pre-commit',
      'write loop.yaml',
      'reach loopback',
      expect.stringMatching(/^reach socket /),
    ]),
  )
  expect(processesWith(at.canary)).toEqual([])
})

test('an agent and a check achieve nothing, and leave nothing behind', async () => {
  const at = await createAttackedWorkspace(loop)
  const ended = await ctlApart(
    at,
    at.env,
    '--json',
    '--state',
    at.record,
    'run',
    at.file,
    '--trust',
  )
  expect(ended.stderr).toBe('')
  // A clean checkout contains nothing that the sandbox protects, so what it does there is not a
  // success.
  expect(ended.stdout).toContain('"evidence":{"check":"tried","status":"met"')
  expect(endOf(ended)).toMatchObject({ outcome: { type: 'exhausted' } })
  // Changes made by a check are reverted; it passes if it achieved nothing.
  expectNothing(at, 'agent')
  expect(readFileSync(join(at.work, 'prompt.md'), 'utf8')).toBe('Attack.')
})

test('nor do a command of a tool and an MCP server, and the long output of the tool is still stored', async () => {
  const at = await createAttackedWorkspace(
    ({ attack }) => `
workspace: .
worktree: false
prompt: { file: prompt.md }
checks: { tried: test -e found-tool.json }
agent:
  script:
    - - { call: run, args: { command: '${attack('tool')}; seq 1 200000' } }
      - { call: files__write_file, args: { path: by-server.txt, content: hello } }
      - { say: ok }
mcp:
  files: { command: [sh, -c, '${attack('server')}; exec node ${filesServer} .'] }
sandbox: { hide: [.env], readOnly: [${modules}] }
limits: { iterations: 1 }
`,
  )
  const ended = await ctlApart(
    at,
    at.env,
    '--json',
    '--state',
    at.record,
    'run',
    at.file,
    '--trust',
  )
  expect(ended.stderr).toBe('')
  expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
  expect(toolCalls(ended)).toMatchObject([
    { tool: 'run', ok: true },
    { tool: 'files__write_file', ok: true },
  ])
  expectNothing(at, 'tool', 'server')
  const [run = ''] = readdirSync(join(at.record, 'output'))
  const [kept = ''] = readdirSync(join(at.record, 'output', run))
  const lines = readFileSync(join(at.record, 'output', run, kept), 'utf8')
    .trim()
    .split('\n')
  expect([lines.length, lines.at(-1)]).toEqual([200_000, '200000'])
})
