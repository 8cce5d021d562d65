/** The built programs, as a user starts them. */

import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { localUser } from '../../src/system/local-user.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'

const run = promisify(execFile)
const root = new URL('../..', import.meta.url).pathname
const state = mkdtempSync(join(tmpdir(), 'loopwright-e2e-'))
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: state,
  LOOPWRIGHT_STATE: state,
  LOOP_USE_DAEMON: '0',
  USER: 'tester',
}
const throughDaemon = { ...env, LOOP_USE_DAEMON: '1', LOOPWRIGHT_DAEMON_PORT: '0' }
const loopctl = join(root, 'dist/cli/loopctl.js')
const start = join(root, 'build/examples/start.js')

afterAll(() => rmSync(state, { recursive: true, force: true }))

const ctl = (...args: string[]): Promise<Ended> => warmLoopctl(args, env)

/** In a separate process, as a user starts it. */
async function ctlApart(...args: string[]): Promise<Ended> {
  try {
    return { ...(await run(process.execPath, [loopctl, ...args], { env })), code: 0 }
  } catch (error) {
    const failed = error as { stdout: string; stderr: string; code: number }
    return { stdout: failed.stdout, stderr: failed.stderr, code: failed.code }
  }
}

interface Row {
  readonly name: string
  readonly status: string
  readonly loop: string
}

async function runs(): Promise<readonly Row[]> {
  const { stdout } = await ctl('--json', 'list')
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}

test('npm start fixes a project without a model, and shows the diff and the next commands', {
  timeout: 120_000,
}, async () => {
  const key = { ANTHROPIC_API_KEY: 'sk-ant-of-nobody' }
  const { stdout } = await run(process.execPath, [start], { env: { ...throughDaemon, ...key } })
  // Its processes have ended.
  expect(stdout).toContain('The daemon has stopped.')
  expect(existsSync(join(state, 'daemon', 'daemon.json'))).toBe(false)
  expect(existsSync(join(state, 'daemon', 'token'))).toBe(true)
  expect(stdout).toContain('needs no model, key or network')
  expect(stdout).toContain('mend-duration-1')
  expect(stdout).toContain('✓ completed: checks-pass')
  expect(stdout).toMatch(/^\+.*rest >= unit\.ms/m)
  expect(stdout).toMatch(/check test +✓ met/)
  expect(stdout).toMatch(/^ {2}(?:npx )?loopctl show /m)
  // An agent whose key is set is offered.
  expect(stdout).toContain('loopctl demo --agent anthropic/claude-sonnet-5')
  expect(stdout).not.toContain(key.ANTHROPIC_API_KEY)
})

test('errors say what to do and have separate exit codes, also as JSON', async () => {
  const unknown = await ctlApart('inspect', 'nobody')
  expect(unknown).toMatchObject({ code: 66 })
  expect(unknown.stderr).toContain('There is no run "nobody"')
  expect(unknown.stderr).not.toMatch(/\n\s+at /)
  const json = await ctl('--json', 'inspect', 'nobody')
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'unknown-run' } })
  expect((await ctlApart('no-such-command')).code).toBe(64)
  expect((await ctl('tail', 'x', '--after', 'abc')).code).toBe(64)
  expect((await ctl('--state', '', 'list')).code).toBe(64)
  expect(
    JSON.parse((await ctl('--json', 'no-such-command')).stderr.trim().split('\n').at(-1) ?? ''),
  ).toMatchObject({
    error: { code: 'bad-request' },
  })
})

test('loopd prints its version, and reports wrong arguments', async () => {
  const loopd = join(root, 'dist/daemon/loopd.js')
  expect((await run(process.execPath, [loopd, '--help'], { env })).stdout).toContain('--port')
  const wrong = run(process.execPath, [loopd, '--port', 'x'], { env })
  await expect(wrong).rejects.toMatchObject({ code: 64 })
})

test('an example that is killed with -9 continues where it stopped, to a passing check', async () => {
  const child = spawn(process.execPath, [start, 'repair'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let shown = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
      if (!shown.includes('iteration 2')) return
      child.kill('SIGKILL')
      resolve()
    })
  })
  await new Promise((resolve) => child.once('exit', resolve))
  expect((await ctl('list')).stdout).toContain('interrupted')
  const { stdout } = await run(process.execPath, [start, 'repair'], { env })
  expect(stdout).toContain('nothing here calls a model')
  expect(stdout).toContain('check:test#1 not-met')
  expect(stdout).toContain('completed: checks-pass')
  // Finished work is not repeated: the first iteration is done.
  expect(stdout).toContain('resumed after')
  expect(stdout).not.toMatch(/^ {2}iteration 1$/m)
  const row = (await runs()).find(({ loop }) => loop === 'repair')
  expect(row).toMatchObject({ status: 'completed' })
  const inspected = await ctl('inspect', row?.name ?? '')
  expect(inspected.stdout).toMatch(/iterations +3 of 10/)
  expect(inspected.stdout).toMatch(/check test +met/)
  const tail = await ctl('tail', row?.name ?? '')
  expect(tail.stdout.trim().split('\n').at(-1)).toContain('completed: checks-pass')
  const exported = JSON.parse((await ctl('export', row?.name ?? '')).stdout) as { format: string }
  expect(exported.format).toBe('loopwright-checkpoint')
  expect((await ctlApart('doctor')).code).toBe(0)
})

test('the loop in the README runs as written', async () => {
  const { main } = (await import(join(root, 'build/examples/readme.js'))) as {
    main: (workspace: string, folder: string) => Promise<string>
  }
  const workspace = mkdtempSync(join(state, 'readme-'))
  expect(await main(workspace, join(state, 'readme-state'))).toBe('completed: checks-pass')
  expect(readFileSync(join(workspace, 'answer.txt'), 'utf8')).toBe('friend')
  expect(existsSync(join(state, 'readme-state', 'journal.db'))).toBe(true)
})

test('a read-only command creates no state folder', async () => {
  const elsewhere = join(state, 'nothing-here')
  const listed = await ctl('--state', elsewhere, 'list')
  expect(listed).toMatchObject({ code: 0, stdout: 'No runs yet.\n' })
  const { code, stderr } = await ctl('--state', elsewhere, 'inspect', 'x')
  expect(code).toBe(66)
  expect(stderr).toContain('There is no state folder')
  expect(existsSync(elsewhere)).toBe(false)
})

test('tail -f follows a run that another process drives, to its end', async () => {
  const driver = spawn(process.execPath, [start, 'publish'], { env, stdio: 'ignore' })
  let name = ''
  while (name === '') {
    name = (await runs()).find((row) => row.loop === 'publish')?.name ?? ''
    await sleep(100)
  }
  const tail = run(process.execPath, [loopctl, 'tail', '-f', name], { env })
  let asked = { code: 1, stdout: '', stderr: '' }
  while (asked.code !== 0) {
    await sleep(100)
    asked = await ctl('answer', name, 'where', 'internal page')
  }
  await new Promise((resolve) => driver.once('exit', resolve))
  const { stdout } = await tail
  expect(stdout).toContain(`answered by ${localUser()} (as "tester"): internal page`)
  expect(stdout.trim().split('\n').at(-1)).toContain('completed: handled')
})
