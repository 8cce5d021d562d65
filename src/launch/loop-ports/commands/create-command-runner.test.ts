import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CommandRunner } from '../../../engine/index.ts'
import { type Gateway, openGateway, publicProviders } from '../../../gateway/index.ts'
import type { Amount } from '../../../loop/index.ts'
import type { CommandReport, CommandTask } from '../../../loop/step/command-task.ts'
import { createPlainCommands } from '../../../sandbox/index.ts'
import { memoryBlobs } from '../../../testing/memory-blobs.ts'
import { type ModelScript, startModelServer } from '../../../testing/model-server.ts'
import { openCommands } from './open-commands.ts'

let root: string
let workspace: string
let state: string
let close: () => Promise<void>
let runner: CommandRunner
let starts = 0
let gateway: Promise<Gateway> = Promise.reject(new Error('not used'))
gateway.catch(() => undefined)
const settled: Amount[] = []

const blobs = memoryBlobs()

function open(): void {
  const opened = openCommands({
    workspace,
    sandbox: {
      summary: { tier: 'none', limits: 'none', attended: true },
      commandsIn: () => ({
        run(command, signal) {
          starts++
          return createPlainCommands().run(command, signal)
        },
      }),
      modelCommandsIn: () => ({ commands: createPlainCommands(), url: undefined }),
    },
    models: { gateway: () => gateway },
    settings: { hide: ['secret.txt'] },
    excluded: ['loop.yaml'],
    path: process.env['PATH'],
  })({ blobs, folder: state } as never)
  runner = opened.commands
  close = opened.close
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-commands-')))
  workspace = join(root, 'work')
  state = join(root, 'state')
  mkdirSync(join(workspace, 'cases'), { recursive: true })
  mkdirSync(state)
  writeFileSync(join(workspace, 'rule.txt'), 'abc')
  writeFileSync(join(workspace, 'cases', '1.txt'), 'one')
  writeFileSync(join(workspace, 'secret.txt'), 'x')
  writeFileSync(join(workspace, 'loop.yaml'), 'x')
  mkdirSync(join(workspace, '.git'))
  starts = 0
  open()
})
afterEach(async () => {
  await close()
  rmSync(root, { recursive: true, force: true })
})

const run = (task: CommandTask, signal = new AbortController().signal): Promise<CommandReport> =>
  runner.run(task, {
    signal,
    attempt: 1,
    iteration: 1,
    step: 'command:a#1' as never,
    spend: () => undefined,
    reserve: async (worst) => ({ settle: async (spent) => void settled.push(spent ?? worst) }),
    remaining: () => ({ tokens: 1_000_000, costMicros: 5_000_000 }) as never,
  })

const outputOf = async ({ output }: CommandReport): Promise<string | undefined> =>
  output === undefined ? undefined : (await blobs.get(output.blob)).toString()

test('a command works in a copy: what it changes is gone, but for the file that it writes', async () => {
  const report = await run({
    command:
      'cat rule.txt > out/a.txt; echo changed > rule.txt; rm cases/1.txt; echo printed; exit 3',
    output: 'out/a.txt',
  })
  expect(report).toMatchObject({ ended: 'exited', exitCode: 3, stdout: 'printed\n', stderr: '' })
  expect(await outputOf(report)).toBe('abc')
  expect(readFileSync(join(workspace, 'rule.txt'), 'utf8')).toBe('abc')
  expect(existsSync(join(workspace, 'out'))).toBe(false)
  expect(await run({ command: 'cat rule.txt; ls cases' })).toMatchObject({ stdout: 'abc1.txt\n' })
})

test('it sees other files instead, and not those that were left out, hidden or no part of the work', async () => {
  const { blob } = await blobs.put('from a step')
  const { stdout } = await run({
    command: 'cat rule.txt b/c.txt d.txt; ls -A . cases',
    files: {
      'rule.txt': { text: 'other ' },
      'b/c.txt': { blob },
      'd.txt': { from: 'cases/1.txt' },
    },
    without: ['cases/1.txt'],
  })
  expect(stdout).toBe('other from a stepone.:\nb\ncases\nd.txt\nrule.txt\n\ncases:\n')
})

test('what prepares the copies runs once for all commands with the same shared files', async () => {
  const task = (text: string, repeat: number): CommandTask => ({
    command: 'cat built.txt',
    shared: { 'rule.txt': { text } },
    files: { 'rule.txt': { text } },
    prepare: { command: 'cat rule.txt rule.txt > built.txt', timeoutMs: 10_000 },
    repeat,
  })
  const reports = await Promise.all([run(task('x', 1)), run(task('x', 2)), run(task('y', 1))])
  expect(reports.map(({ stdout }) => stdout)).toEqual(['xx', 'xx', 'yy'])
  expect(starts).toBe(5)
  const failing = { ...task('z', 1), prepare: { command: 'exit 9', timeoutMs: 10_000 } }
  expect(await run(failing)).toMatchObject({
    ended: 'unavailable',
    problem: expect.stringContaining('failed (exit code 9)'),
  })
})

describe('reuse', () => {
  const task: CommandTask = {
    command: 'cat rule.txt > o; date +%N >> o; cat o',
    output: 'o',
    reuse: true,
  }

  test('a result with the same content is reused, also by the next process', async () => {
    const first = await run(task)
    await close()
    open()
    const second = await run(task)
    expect(second).toEqual({ ...first, reused: true })
    expect(starts).toBe(1)
  })

  test.each<[string, Partial<CommandTask>]>([
    ['another repeat', { repeat: 2 }],
    ['another command', { command: 'cat rule.txt' }],
    ['another environment', { env: { A: '1' } }],
    ['another file', { files: { 'rule.txt': { text: 'abcd' } } }],
    ['another limit', { timeoutMs: 5000 }],
    ['a command that always runs', { reuse: false }],
  ])('%s runs', async (_what, change) => {
    await run(task)
    expect((await run({ ...task, ...change })).reused).toBeUndefined()
    expect(starts).toBe(2)
  })

  test('a change of any file of the workspace is another content', async () => {
    await run(task)
    await close()
    writeFileSync(join(workspace, 'cases', '1.txt'), 'two')
    open()
    expect((await run(task)).reused).toBeUndefined()
  })

  test('a damaged entry is as good as none', async () => {
    await run(task)
    const folder = join(state, 'cache', 'commands')
    const { readdirSync } = await import('node:fs')
    const [part = ''] = readdirSync(folder)
    const [name = ''] = readdirSync(join(folder, part))
    writeFileSync(join(folder, part, name), '{"exitCode": 0')
    expect((await run(task)).reused).toBeUndefined()
  })

  test('a command that took too long is not known', async () => {
    const slow = { ...task, command: 'sleep 30', timeoutMs: 50 }
    expect(await run(slow)).toMatchObject({ ended: 'timeout', problem: 'it took too long' })
    expect((await run(slow)).reused).toBeUndefined()
  })
})

test('hostile output: a link, a folder and a pipe are no file', async () => {
  writeFileSync(join(root, 'private.txt'), 'private')
  for (const command of [
    `ln -s ${join(root, 'private.txt')} o/a`,
    `rmdir o; ln -s ${root} o; true`,
    'mkdir o/a',
    'mkfifo o/a',
    'true',
  ]) {
    expect(await run({ command, output: 'o/a' })).not.toHaveProperty('output')
  }
})

test('a path outside of the workspace, or through a link, is refused', async () => {
  symlinkSync(root, join(workspace, 'link'))
  for (const files of [
    { '../a': { text: 'x' } },
    { '/a': { text: 'x' } },
    { 'a/./b': { text: 'x' } },
    { a: { from: 'link/private.txt' } },
    { a: { from: 'missing' } },
  ]) {
    await expect(run({ command: 'true', files })).rejects.toThrow(/not a (path|regular file)/)
  }
})

test('a limited number runs at the same time, and all of them run', async () => {
  const counter = join(root, 'running')
  mkdirSync(counter)
  chmodSync(counter, 0o777)
  const command = `touch ${counter}/$N; ls ${counter} | wc -l; sleep 0.1; rm ${counter}/$N`
  const reports = await Promise.all(
    Array.from({ length: 6 }, (_, at) => run({ command, env: { N: `${at}` }, concurrency: 2 })),
  )
  expect(Math.max(...reports.map(({ stdout }) => Number(stdout)))).toBeLessThanOrEqual(2)
})

test('an abort ends those that run and those that wait', async () => {
  const stop = new AbortController()
  const task = { command: 'sleep 30', concurrency: 1 }
  const running = Promise.allSettled([run(task, stop.signal), run(task, stop.signal)])
  setTimeout(() => stop.abort(new Error('stopped')), 100)
  expect((await running).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await run({ command: 'echo on', concurrency: 1 })).toMatchObject({ stdout: 'on\n' })
})

describe('a command that uses models', () => {
  const ask = `node -e "
    fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] }),
    }).then((answer) => answer.text()).then((text) => console.log(text))
  "`

  async function withModel(answers: ModelScript, use: () => Promise<void>): Promise<void> {
    const server = await startModelServer(answers)
    const opened = await openGateway({
      keys: () => 'the-real-key',
      providers: { openai: { ...publicProviders['openai'], baseUrl: `${server.url}/v1` } },
    })
    gateway = Promise.resolve(opened)
    try {
      await use()
    } finally {
      await opened.close()
      await server.close()
    }
  }

  test('reaches the gateway with a token, and what it spends is reserved and settled', () =>
    withModel([{ text: 'good day' }], async () => {
      const report = await run({ command: ask, usesModels: true })
      expect(report).toMatchObject({ ended: 'exited', exitCode: 0 })
      expect(report.stdout).toContain('good day')
      expect(settled.some(({ tokens }) => tokens > 0)).toBe(true)
      const { stdout } = await run({ command: 'env', usesModels: true })
      expect(stdout).not.toContain('the-real-key')
      expect((await run({ command: 'env' })).stdout).not.toContain('OPENAI_BASE_URL')
    }))

  test('is unavailable if its provider fails: nothing is known of the work then', () =>
    withModel([{ status: 500, message: 'broken' }], async () => {
      const report = await run({ command: `${ask}; exit 1`, usesModels: true })
      expect(report).toMatchObject({ ended: 'unavailable' })
    }))
})
