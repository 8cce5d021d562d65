/** loopctl with hostile state folders, names and outputs. */

import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderJson, renderTime, visible } from '../../src/cli/display/render.ts'
import { type LoopType, openHost } from '../../src/host/index.ts'

const run = promisify(execFile)
const loopctl = new URL('../../dist/cli/loopctl.js', import.meta.url).pathname

let state: string

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'loopwright-cli-'))
})

afterEach(() => rmSync(state, { recursive: true, force: true }))

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const environment = (): NodeJS.ProcessEnv => ({
  HOME: state,
  LOOPWRIGHT_STATE: state,
  LOOP_USE_DAEMON: '0',
})

async function ctl(...args: string[]): Promise<Ended> {
  try {
    const ended = await run(process.execPath, [loopctl, ...args], { env: environment() })
    return { ...ended, code: 0 }
  } catch (error) {
    return error as Ended
  }
}

const evil = 'evil\u001b[2J\nline two'

/** A run whose texts try to control the terminal, and that waits for an answer. */
const asking: LoopType<null, null, null, null> = {
  name: evil,
  createContext: () => null,
  async iterate(_context, it) {
    await it.ask('go', { text: evil, default: evil })
    return null
  },
  extractProgress: () => null,
}

async function makeRun(): Promise<void> {
  const host = await openHost({ folder: state })
  const handle = await host.start(asking, { input: null, name: 'asking', graceMs: 1 })
  for await (const { event } of handle.events()) if (event.type === 'step-started') break
  await host.close()
}

test('texts of a run cannot control the terminal or start a line', async () => {
  await makeRun()
  for (const command of ['list', 'inspect', 'tail']) {
    const { stdout, code } = await ctl(command, ...(command === 'list' ? [] : ['asking']))
    expect(code).toBe(0)
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toMatch(/^line two/m)
  }
  expect((await ctl('list')).stdout).toContain(String.raw`evil\x1b[2J\nline two`)
  const { stderr } = await ctl('inspect', evil)
  expect(stderr).not.toContain('\u001b')
  expect(stderr).not.toMatch(/^line two/m)
  expect(stderr).toContain('There is no run "evil')
})

test('ends quietly when its reader closes the pipe', async () => {
  await makeRun()
  const script = `"${process.execPath}" "${loopctl}" tail asking; echo "exit $?" >&2`
  const shell = spawn('bash', ['-c', `{ ${script}; } | true`], { env: environment() })
  let stderr = ''
  shell.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  await once(shell, 'close')
  expect(stderr).toBe('exit 0\n')
})

test('an output that cannot be written is reported in one line', async () => {
  await makeRun()
  const child = spawn(process.execPath, [loopctl, 'list'], {
    env: environment(),
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number]
  expect(code).toBe(74)
  expect(stderr).toMatch(/^loopctl: cannot write the output: .*\n$/)
})

test('ends even if an error cannot be printed', async () => {
  const child = spawn(process.execPath, [loopctl, 'run', 'nothing.yaml'], {
    env: environment(),
    stdio: ['ignore', 'ignore', openSync('/dev/full', 'w')],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  expect(await once(child, 'close')).toEqual([66, null])
}, 30_000)

test.each([[['run']], [['--bogus']], [['run', 'x.yaml', '--iterations', 'x']], [['lst']]])(
  'with --json a usage error is JSON and nothing else: %j',
  async (args) => {
    const { stdout, stderr, code } = await ctl('--json', ...args)
    expect([stdout, code]).toEqual(['', 64])
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'bad-request', message: expect.stringMatching(/\w/) },
    })
  },
)

const loopFile = (): string => {
  const path = join(state, 'loop.yaml')
  const prompt = String.raw`"a\tb\n\e[2J\e]0;x\a"`
  writeFileSync(
    path,
    `prompt: ${prompt}\nagent: { script: [[{ say: hi }]] }\nchecks: { yes: "true" }\nworktree: false`,
  )
  return path
}

test('an empty workspace is not the current folder', async () => {
  const { stderr, code } = await ctl('run', loopFile(), '--trust', '--workspace', '')
  expect(code).toBe(64)
  expect(stderr).toContain('must be the path of a folder')
})

test('the prompt that a dry run shows cannot control the terminal', async () => {
  const { stdout, code } = await ctl(
    'run',
    loopFile(),
    '--trust',
    '--dry-run',
    '--workspace',
    state,
  )
  expect(code).toBe(0)
  expect(stdout).toContain('a\tb')
  expect(stdout).toContain(String.raw`\x1b[2J\x1b]0;x\x07`)
  expect(stdout).not.toContain('\u001b')
})

test('a run whose output cannot be written is interrupted, with its own exit code', async () => {
  const args = [loopctl, 'run', loopFile(), '--trust', '--workspace', join(state, 'work')]
  mkdirSync(join(state, 'work'))
  const child = spawn(process.execPath, args, {
    env: environment(),
    stdio: ['ignore', openSync('/dev/full', 'w'), 'ignore'],
  })
  expect(await once(child, 'close')).toEqual([74, null])
})

test('a lock file that could not be written is removed', async () => {
  const command = `ulimit -f 0; exec "${process.execPath}" "${loopctl}" trust "${loopFile()}"`
  const failing = run('bash', ['-c', command], { env: environment() })
  await expect(failing).rejects.toMatchObject({ code: 74 })
  expect(existsSync(join(state, 'trust.json.lock'))).toBe(false)
})

test('a damaged journal is a finding of doctor, without a stack trace', async () => {
  await makeRun()
  const path = join(state, 'journal.db')
  const bytes = readFileSync(path)
  bytes.fill(0x5a, 8192)
  writeFileSync(path, bytes)
  const { stdout, stderr, code } = await ctl('doctor')
  expect(code).toBe(74)
  expect(stdout + stderr).not.toMatch(/\n\s+at /)
  expect((stdout + stderr).trim()).not.toBe('')
  expect((await ctl('gc')).code).toBe(74)
})

test.each(['folder', 'pipe'])(
  'a %s at the path of the journal is refused at once',
  async (kind) => {
    const path = join(state, 'journal.db')
    if (kind === 'folder') mkdirSync(path)
    else execFileSync('mkfifo', [path])
    const { stderr, code } = await ctl('list')
    expect(code).toBe(74)
    expect(stderr).toMatch(/^loopctl: .*not a regular file.*\n$/)
  },
)

test('an unexpected error is one line with a separate exit code', async () => {
  await makeRun()
  const preload = `data:text/javascript,process.stdout.write = () => { throw new Error("odd") }`
  const args = ['--import', preload, loopctl, 'list']
  const failing = run(process.execPath, args, { env: environment() })
  await expect(failing).rejects.toMatchObject({
    code: 70,
    stderr: expect.stringMatching(/^loopctl: unexpected: odd .*\n$/),
  })
  const env = { ...environment(), DEBUG: 'loopwright' }
  await expect(run(process.execPath, args, { env })).rejects.toMatchObject({
    code: 70,
    stderr: expect.stringMatching(/\n\s+at /),
  })
})

test('times outside the calendar are still shown', () => {
  expect(renderTime(0)).toBe('1970-01-01T00:00:00.000Z')
  for (const ms of [Number.MAX_VALUE, -1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
    expect(renderTime(ms)).toMatch(/\w/)
  }
  expect(visible('a\tb\u0000\u009b')).toBe(String.raw`a\tb\x00\x9b`)
  expect(visible('exe\u202egpj')).toBe(String.raw`exe\x202egpj`)
  const value = { a: 'x\u009b2J\u202e' }
  expect(renderJson(value)).toBe(String.raw`{"a":"x\u009b2J\u202e"}`)
  expect(JSON.parse(renderJson(value))).toEqual(value)
})

test('a state folder that cannot be created is refused, and does not hang', async () => {
  const ended = await ctl('--state', '/proc/nope/state', 'run', loopFile(), '--trust')
  expect(ended.code).toBe(74)
  expect(ended.stderr).toContain('/proc/nope/state')
})
