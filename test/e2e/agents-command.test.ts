/**
 * `loopctl agents`, by the built program: what it shows, installing with a fake npm, and trials.
 */

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentList, AgentTrial } from '../../src/launch/agents/index.ts'
import { startModelServer } from '../../src/testing/model-server.ts'
import { behind } from './gateway-fixture.ts'
import { ctl, ctlApart, ctlWith, type Ended, type Place, place } from './loop-fixture.ts'
import { installFake, withPath } from './program-fixture.ts'

const key = 'sk-real-0123456789abcdef'
const anywhere = (): Place => place('')
const agentsIn = ({ stdout }: Ended): AgentList => JSON.parse(stdout) as AgentList
const trialIn = ({ stdout }: Ended): AgentTrial => JSON.parse(stdout) as AgentTrial

function program(folder: string, name: string, text: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), 0o755)
  return folder
}

describe('loopctl agents', () => {
  test('shows what it finds, with versions and keys, and never the keys themselves', async () => {
    const at = anywhere()
    const env = { ...withPath(installFake('', '2.0.1')), ANTHROPIC_API_KEY: key }
    const ended = await ctlWith(at, env, '--json', 'agents')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const { agents, sandbox } = agentsIn(ended)
    expect(sandbox.tier).toBe('strong')
    const named = (name: string) => agents.find((agent) => agent.name === name)
    expect(named('claude')).toMatchObject({
      state: 'ready',
      from: 'path',
      version: '2.0.1',
      tested: '2.1.325',
      protocols: [{ name: 'headless' }, { name: 'acp', next: expect.stringContaining('add') }],
      isolation: 'sandbox',
      walls: 'sandbox',
      key: { provider: 'anthropic', variable: 'ANTHROPIC_API_KEY', found: true },
    })
    expect(named('codex')).toMatchObject({
      state: 'missing',
      next: expect.stringContaining('loopctl agents add codex'),
    })
    expect(named('repair')).toMatchObject({ state: 'ready', kind: 'built-in' })
    expect(named('openai/…')).toMatchObject({ state: 'no-key', kind: 'models' })
    const text = (await ctlWith(at, env, 'agents')).stdout
    expect(text).toMatch(/^claude +✓ 2\.0\.1 \(tested with 2\.1\.325\)/m)
    expect(text).toMatch(/^ +acp: .*loopctl agents add claude/m)
    expect(`${text}${ended.stdout}`).not.toContain(key)
    // Reading creates no state folder.
    expect(existsSync(join(at.state, 'journal.db'))).toBe(false)
  })

  test('asks a program for its version inside the sandbox if no package states it', async () => {
    const at = anywhere()
    const marker = join(at.state, '..', 'ran-outside')
    const asked = `#!/bin/sh\necho x > ${marker}\necho '9.8.7 (Claude Code)'\n`
    const bin = program(join(at.state, '..', 'bin'), 'claude', asked)
    const { agents } = agentsIn(await ctlWith(at, withPath(bin), '--json', 'agents'))
    expect(agents[0]).toMatchObject({ name: 'claude', version: '9.8.7' })
    expect(existsSync(marker)).toBe(false)
  })
})

/** Prints its arguments, and puts a program where npm would. */
const npm = `#!/bin/sh
echo "$@" > asked.txt
mkdir -p node_modules/.bin
printf '#!/bin/sh\\n' > node_modules/.bin/claude
chmod +x node_modules/.bin/claude
`

describe('loopctl agents add', () => {
  test('installs the tested version, without scripts, if asked to', async () => {
    const at = anywhere()
    const env = withPath(program(join(at.state, '..', 'bin'), 'npm', npm))
    const asked = await ctlWith(at, env, 'agents', 'add', 'claude')
    expect(asked.code).toBe(64)
    expect(asked.stderr).toContain('@anthropic-ai/claude-code@2.1.325')
    expect(asked.stderr).toContain('--yes')
    expect((await ctlWith(at, env, 'agents', 'add', 'claude', '--yes')).code).toBe(0)
    const folder = join(at.state, 'agents/claude')
    const words = readFileSync(join(folder, 'asked.txt'), 'utf8')
    expect(words).toMatch(/^install --ignore-scripts .* @anthropic-ai\/claude-code@2\.1\.325 /)
    const { agents } = agentsIn(await ctl(at, '--json', 'agents'))
    expect(agents[0]).toMatchObject({ from: 'fetched', state: 'no-key' })
    const removed = await ctl(at, '--json', 'agents', 'remove', 'claude')
    expect(JSON.parse(removed.stdout)).toMatchObject({ removed: true })
    expect(existsSync(folder)).toBe(false)
  })

  test('that was killed leaves nothing that the next one does not remove', async () => {
    const at = anywhere()
    const bin = join(at.state, '..', 'bin')
    // npm runs in the folder that is being filled; the process that started it dies.
    const env = withPath(program(bin, 'npm', '#!/bin/sh\nkill -9 $PPID\n'))
    await ctlApart(at, env, 'agents', 'add', 'claude', '--yes')
    const agents = join(at.state, 'agents')
    expect(readdirSync(agents)).toEqual([expect.stringMatching(/^loopwright-/)])
    program(bin, 'npm', npm)
    expect((await ctlWith(at, env, 'agents', 'add', 'claude', '--yes')).code).toBe(0)
    expect(readdirSync(agents)).toEqual(['claude'])
  })

  test('that fails keeps the previous version, and says what to do', async () => {
    const at = anywhere()
    const bin = join(at.state, '..', 'bin')
    const env = withPath(program(bin, 'npm', npm))
    expect((await ctlWith(at, env, 'agents', 'add', 'claude', '--yes')).code).toBe(0)
    program(bin, 'npm', '#!/bin/sh\necho "no such host" >&2\nexit 1\n')
    const failed = await ctlWith(at, env, 'agents', 'add', 'claude', '--yes')
    expect(failed.code).toBe(69)
    expect(failed.stderr).toContain('no such host')
    expect(readdirSync(join(at.state, 'agents'))).toEqual(['claude'])
    const unknown = await ctlWith(at, env, 'agents', 'add', 'cluade', '--yes')
    expect(unknown).toMatchObject({ code: 64, stderr: expect.stringContaining('claude') })
  })
})

const mending = `
await ask(prompt)
const text = readFileSync('sum.js', 'utf8')
writeFileSync('sum.js', text.replace('index = 1', 'index = 0'))
end('It is done.')
`

const failedOnes = ({ findings }: AgentTrial): readonly string[] =>
  findings.filter(({ ok }) => ok === false).map(({ name }) => name)

describe('loopctl agents test', () => {
  test('repair: works without a key and a network, and leaves nothing behind', async () => {
    const at = anywhere()
    const temporary = join(at.state, '..', 'tmp')
    mkdirSync(temporary)
    const ended = await ctlWith(at, { TMPDIR: temporary }, '--json', 'agents', 'test', 'repair')
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const trial = trialIn(ended)
    expect(trial).toMatchObject({ ok: true, next: 'It works. In a loop file: agent: repair' })
    expect(failedOnes(trial)).toEqual([])
    expect(readdirSync(temporary)).toEqual([])
    expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
  })

  test('a program that works: each step is reported', async () => {
    await using server = await startModelServer([{ text: 'Do it.' }])
    const env = { ...behind(server, key), ...withPath(installFake(mending)) }
    const ended = await ctlWith(anywhere(), env, 'agents', 'test', 'claude')
    expect(ended.code).toBe(0)
    const told = [...ended.stdout.matchAll(/^(\w+) +✓ /gm)].map(([, name]) => name)
    expect(told).toEqual('found sandbox key starts model file check end usage'.split(' '))
    expect(ended.stdout).toContain('It may use 400000 tokens, $0.50')
  })

  test.each<[string, string, readonly string[]]>([
    ['asks no model and does nothing', "end('All good.')", ['model', 'file', 'check', 'end']],
    ['does nothing', "await ask(prompt)\nend('All good.')", ['file', 'check']],
    ['does not start', 'process.exit(3)', ['model', 'file', 'check', 'end']],
  ])('a program that %s: the failed step is reported', async (_what, text, broken) => {
    await using server = await startModelServer([{ text: 'Do it.' }])
    const at = anywhere()
    const env = { ...behind(server, key), ...withPath(installFake(text)) }
    const ended = await ctlWith(at, env, '--json', 'agents', 'test', 'claude')
    expect(ended.code).toBe(1)
    const trial = trialIn(ended)
    expect(failedOnes(trial)).toEqual(broken)
    expect(trial.next).toContain(`loopctl show ${trial.run ?? ''}`)
    expect((await ctl(at, 'show', trial.run ?? '', '1')).code).toBe(0)
    expect(existsSync(join(trial.workspace ?? '', 'sum.js'))).toBe(true)
  })

  test('a missing program or key is reported without a run', async () => {
    const at = anywhere()
    const missing = await ctlWith(
      at,
      { PATH: '/usr/bin:/bin' },
      '--json',
      'agents',
      'test',
      'codex',
    )
    expect(missing.code).toBe(1)
    expect(trialIn(missing)).toMatchObject({
      findings: [{ name: 'found', ok: false }],
      next: expect.stringContaining('loopctl agents add codex'),
    })
    const env = withPath(installFake(mending))
    const keyless = trialIn(await ctlWith(at, env, '--json', 'agents', 'test', 'claude'))
    expect(failedOnes(keyless)).toEqual(['key'])
    expect(keyless.findings.map(({ name }) => name)).toEqual(['found', 'sandbox', 'key'])
    const unknown = await ctl(at, 'agents', 'test', 'repare')
    expect(unknown).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('repair'),
    })
    const told = await ctlWith(at, env, 'agents', 'test', 'claude')
    expect(told.stdout).toMatch(/^key +. .*set ANTHROPIC_API_KEY, or put it in .*keys/m)
    expect(told.stdout).not.toContain('It may use')
    expect((await ctl(at, 'list')).stdout).toContain('No runs yet')
  })
})
