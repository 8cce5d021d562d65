/** loopctl and the daemon as programs and scripts use them: one daemon for all of these. */

import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { afterFile } from '../after.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'

const program = new URL('../../dist/cli/loopctl.js', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'loopwright-loopctl-'))
const state = join(folder, 'state')
const daemonFile = join(state, 'daemon', 'daemon.json')

const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  LOOPWRIGHT_STATE: state,
  LOOPWRIGHT_DAEMON_PORT: '0',
  USER: 'tester',
}

const ctlWith = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  warmLoopctl(args, { ...environment, ...env }, folder)

const ctl = (...args: string[]): Promise<Ended> => ctlWith({}, ...args)

/** In a separate process, as a script starts it. */
function ctlApart(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: environment, cwd: folder, maxBuffer: 64e6 }
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

/** A loop that writes a file into a separate folder. */
function writeLoop(name: string, command: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(
    join(folder, `${name}.yaml`),
    `name: ${name}
workspace: ${name}
prompt: Write the file.
agent: { script: [[{ call: run, args: { command: "${command}" } }, { say: Done. }]] }
checks: { there: test -f done.txt }
certify: { teeth: false }
worktree: false
limits: { iterations: 1, cost: 1 }
`,
  )
}

async function queued(): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await ctl('--json', 'queue')
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

beforeAll(() => {
  writeLoop('quick', 'echo ok > done.txt')
  writeLoop('slow', 'sleep 600')
  writeLoop('failing', 'true')
  afterFile(() => {
    const { pid } = JSON.parse(readFileSync(daemonFile, 'utf8')) as { pid: number }
    process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
})

test('a read-only command starts no daemon and creates no state folder', async () => {
  expect(await ctl('list')).toMatchObject({ code: 0, stdout: 'No runs yet.\n' })
  expect(await ctl('daemon', 'status')).toMatchObject({ code: 69 })
  expect(existsSync(state)).toBe(false)
})

test('an invalid or untrusted file starts no daemon', async () => {
  writeFileSync(join(folder, 'wrong.yaml'), 'prompt: x\nagnet: repair\n')
  expect(await ctl('run', 'wrong.yaml')).toMatchObject({ code: 65 })
  expect(await ctl('run', 'slow.yaml')).toMatchObject({ code: 77 })
  expect(existsSync(state)).toBe(false)
})

test('two commands that start a daemon at once end up with one, and both have their run accepted', async () => {
  const run = (name: string): Promise<Ended> =>
    ctlApart('--json', 'run', 'slow.yaml', '--trust', '--detach', '--name', name)
  const both = await Promise.all([run('slow-a'), run('slow-b')])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  const { pid } = JSON.parse(readFileSync(daemonFile, 'utf8')) as { pid: number }
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(state)
  const queue = await queued()
  expect(new Set(queue.map(({ name }) => name))).toEqual(new Set(['slow-a', 'slow-b']))
  const [first] = queue
  expect(queue[1]).toMatchObject({
    position: 1,
    waitsFor: 'workspace',
    why: `waiting for workspace ${join(folder, 'slow')} (${String(first?.['name'])})`,
  })
})

test('errors have the same message and exit code with a daemon as without', async () => {
  const asked = [
    ['inspect', 'nobody'],
    ['inspect', 'slow'],
    ['list', '--status', 'asleep'],
    ['answer', 'slow-a', 'tone', 'friendly'],
    ['diff', 'slow-a', '--iteration', '9'],
  ]
  for (const args of asked) {
    const through = await ctl('--json', ...args)
    const without = await ctl('--json', '--no-daemon', ...args)
    expect(through.code).toBeGreaterThan(0)
    expect(through).toEqual(without)
  }
  expect((await ctl('inspect', 'slow')).stderr).toMatch(/slow-a.*slow-b|slow-b.*slow-a/)
})

test('runs are paused, resumed and cancelled, and reset needs a confirmation', async () => {
  const status = async (name: string): Promise<unknown> =>
    (JSON.parse((await ctl('--json', 'inspect', name)).stdout) as { run: { status: string } }).run
      .status
  const [driven = '', waiting = ''] = (await queued()).map(({ name }) => String(name))
  await ctl('pause', waiting)
  expect(await status(waiting)).toBe('paused')
  expect(await queued()).toHaveLength(1)
  const file = join(folder, 'slow.yaml')
  const trusted = readFileSync(file)
  writeFileSync(file, `${trusted.toString()}# changed`)
  expect(await ctl('resume', waiting)).toMatchObject({ code: 77, stdout: '' })
  writeFileSync(file, trusted)
  expect((await ctl('resume', waiting, '--detach')).stdout).toContain(
    `${waiting}: number 1 in the queue`,
  )
  expect((await ctl('cancel', driven)).code).toBe(0)
  await expect.poll(() => status(driven), { timeout: 30_000 }).toBe('cancelled')
  await expect.poll(() => status(waiting), { timeout: 30_000 }).toBe('running')
  const refused = await ctl('reset', waiting)
  expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('--yes') as string })
  expect((await ctl('reset', waiting, '--yes')).code).toBe(0)
  expect(await status(waiting)).toBe('cancelled')
})

test('a run is followed to its outcome as lines of JSON; a failed one is retried', async () => {
  const done = await ctlApart('--json', 'run', 'quick.yaml', '--trust', '--name', 'quick-a')
  const rows = done.stdout.trim().split('\n')
  const lines = rows.map((row) => JSON.parse(row) as Record<string, unknown>)
  expect(done.code).toBe(0)
  expect(lines[0]).toMatchObject({ seq: 1, event: { type: 'run-created' } })
  expect(lines.at(-1)).toMatchObject({ name: 'quick-a', type: 'ended' })
  const failed = await ctl('run', 'failing.yaml', '--trust', '--name', 'failing-a')
  expect(failed.code).toBe(3)
  const again = await ctl('retry', 'failing-a', '--name', 'failing-b')
  expect(again.stdout).toContain('a retry of failing-a')
  expect(again.code).not.toBe(0)
  expect((await ctl('output', 'quick-a')).stdout).toContain('Done.')
})

test('a run without a loop file is driven by the daemon, and is retried from the stored file', async () => {
  mkdirSync(join(folder, 'inline'))
  const parts = ['--agent', 'touch other.txt', '--check', 'test -f done.txt', '-p', 'Write it.']
  const asked = ['run', ...parts, '--iterations', '1', '--workspace', 'inline', '--in-place']
  const failed = await ctl(...asked, '--attended', '--name', 'inline-run')
  expect(failed).toMatchObject({ code: 3, stdout: expect.stringContaining('write-it') })
  writeFileSync(join(folder, 'inline', 'done.txt'), '')
  const retried = await ctl('retry', 'inline-run', '--attended', '--name', 'inline-again')
  expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining('certified') })
  const { state: kept } = JSON.parse((await ctl('--json', 'inspect', 'inline-again')).stdout) as {
    state: { source: { file: string } }
  }
  expect(kept.source.file).toMatch(/state\/loops\/write-it-[0-9a-f]{12}\.yaml$/)
})

test('the address needs a token, and a read-only token cannot change anything', async () => {
  const { address } = JSON.parse(readFileSync(daemonFile, 'utf8')) as { address: string }
  const elsewhere = { LOOPWRIGHT_STATE: join(folder, 'elsewhere'), LOOPD_ADDR: address }
  const token = (await ctl('daemon', 'token', '--read-only')).stdout.trim()
  expect(await ctlWith(elsewhere, 'list')).toMatchObject({ code: 78 })
  const wrong = await ctlWith({ ...elsewhere, LOOPD_TOKEN: 'x'.repeat(43) }, 'list')
  expect(wrong).toMatchObject({ code: 77, stderr: expect.stringContaining('--token') as string })
  const reading = { ...elsewhere, LOOPD_TOKEN: token }
  expect((await ctlWith(reading, 'list')).stdout).toContain('quick-a')
  expect(await ctlWith(reading, 'rm', '--yes', 'quick-a')).toMatchObject({ code: 77 })
  expect((await ctl('list')).stdout).toContain('quick-a')
})

test('the daemon commands use the given token, and report a daemon that uses another one', async () => {
  const wrong = { LOOPD_AUTH_TOKEN: 'x'.repeat(43) }
  const said = { code: 77, stderr: expect.stringContaining('--token') as string }
  expect(await ctlWith(wrong, 'daemon', 'stop')).toMatchObject(said)
  const token = (await ctl('daemon', 'token')).stdout.trim()
  expect(await ctlWith(wrong, '--token', token, 'daemon', 'status')).toMatchObject({ code: 0 })
})

test('a daemon of another version is reported', async () => {
  const text = readFileSync(daemonFile, 'utf8')
  const file = JSON.parse(text) as Record<string, unknown>
  writeFileSync(daemonFile, JSON.stringify({ ...file, version: '0.0.1' }))
  const { code, stderr } = await ctl('list')
  writeFileSync(daemonFile, text)
  expect(code).toBe(0)
  expect(stderr).toContain('the daemon is version 0.0.1')
  expect((await ctl('list')).stderr).toBe('')
})
