/** The built programs, as a user starts them. */

import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const run = promisify(execFile)
const root = new URL('../..', import.meta.url).pathname
const state = mkdtempSync(join(tmpdir(), 'loopwright-e2e-'))
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: state,
  LOOPWRIGHT_STATE: state,
  USER: 'tester',
}
const loopctl = join(root, 'dist/cli/loopctl.js')
const start = join(root, 'build/examples/start.js')

afterAll(() => rmSync(state, { recursive: true, force: true }))

async function ctl(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
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

const runs = async (): Promise<readonly Row[]> =>
  JSON.parse((await ctl('--json', 'list')).stdout) as readonly Row[]

test('the example runs to a passing check, and loopctl shows it', async () => {
  const { stdout } = await run(process.execPath, [start], { env })
  expect(stdout).toContain('no model is called')
  expect(stdout).toContain('check:test#1 not-met')
  expect(stdout).toContain('completed: checks-pass')
  const [row] = await runs()
  expect(row).toMatchObject({ status: 'completed', loop: 'repair' })
  const inspected = await ctl('inspect', row?.name ?? '')
  expect(inspected.stdout).toMatch(/iterations +3 of 10/)
  expect(inspected.stdout).toMatch(/check test +met/)
  const tail = await ctl('tail', row?.name ?? '')
  expect(tail.stdout.trim().split('\n').at(-1)).toContain('completed: checks-pass')
  const exported = JSON.parse((await ctl('export', row?.name ?? '')).stdout) as { format: string }
  expect(exported.format).toBe('loopwright-checkpoint')
  expect((await ctl('doctor')).code).toBe(0)
})

test('errors say what to do and have an exit code of their own, also as JSON', async () => {
  const unknown = await ctl('inspect', 'nobody')
  expect(unknown).toMatchObject({ code: 66 })
  expect(unknown.stderr).toContain('There is no run "nobody"')
  expect(unknown.stderr).not.toMatch(/\n\s+at /)
  const json = await ctl('--json', 'inspect', 'nobody')
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'unknown-run' } })
  expect((await ctl('no-such-command')).code).not.toBe(0)
})

test('loopd says that it is not there yet, and does not pretend to work', async () => {
  const loopd = run(process.execPath, [join(root, 'dist/cli/loopd.js')], { env })
  await expect(loopd).rejects.toMatchObject({ code: 69 })
})

test('an example that is killed with -9 goes on where it was', async () => {
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
  expect(stdout).toContain('completed: checks-pass')
  // The first iteration is read from the journal, not done again.
  expect(stdout.match(/^ {2}iteration 1$/gm)).toHaveLength(1)
  expect((await runs()).every((row) => row.status === 'completed')).toBe(true)
})

test('the loop of the README runs as it stands there', async () => {
  const { main } = (await import(join(root, 'build/examples/readme.js'))) as {
    main: (workspace: string, folder: string) => Promise<string>
  }
  const workspace = mkdtempSync(join(state, 'readme-'))
  expect(await main(workspace, join(state, 'readme-state'))).toBe('completed: checks-pass')
  expect(readFileSync(join(workspace, 'answer.txt'), 'utf8')).toBe('friend')
  expect(existsSync(join(state, 'readme-state', 'journal.db'))).toBe(true)
})
