// The client against two official servers from npm.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { McpServer } from '../../src/tools/index.ts'
import {
  type ConnectedServer,
  connect,
  connectForSeveral,
  everything,
  everythingByHttp,
  filesystem,
  isAlive,
  parsed,
  processesWith,
  until,
} from './fixture.ts'

/**
 * The server listens on all interfaces by default; this binds it to loopback and prints the port.
 */
const onLoopback = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net'
  const { listen } = Server.prototype
  Server.prototype.listen = function (_port, done) {
    this.once('listening', () => console.log('port ' + this.address().port))
    return listen.call(this, 0, '127.0.0.1', done)
  }
`)}`

let child: ChildProcess
let url: string
beforeAll(async () => {
  const args = ['--import', onLoopback, ...everythingByHttp()]
  child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    const port = /^port (\d+)$/.exec(line)?.[1]
    if (port === undefined) continue
    url = `http://127.0.0.1:${port}/mcp`
    break
  }
  child.stdout?.resume()
})
afterAll(async () => {
  child.kill('SIGKILL')
  await once(child, 'exit')
})

const ways: readonly (readonly [string, () => McpServer])[] = [
  ['over stdio', everything],
  ['by HTTP', () => ({ url, headers: { 'x-test': 'yes' } })],
]

describe.each(ways)('server-everything %s', (way, server) => {
  let connected: ConnectedServer
  beforeAll(async () => {
    connected = await connectForSeveral({ all: server() })
  })
  afterAll(() => connected.close())

  test('lists its tools, with schemas and risks', async () => {
    const { problems, tools } = connected
    expect(problems).toEqual([])
    const sum = tools.find(({ name }) => name === 'all__get-sum')
    expect(sum?.description).toMatch(/sum of two numbers/)
    expect(sum?.risk).toBe(way === 'by HTTP' ? 'network' : 'read-only')
    expect(sum?.parameters).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
    })
    expect(tools.length).toBeGreaterThan(8)
  })

  test('answers calls, many at a time', async () => {
    const { call } = connected
    const sums = await Promise.all(
      Array.from({ length: 20 }, (_, n) => call('all__get-sum', { a: n, b: 1 })),
    )
    expect(sums.map(({ output }) => output)).toEqual(
      sums.map((_, n) => `The sum of ${n} and 1 is ${n + 1}.`),
    )
  })

  test('returns data, images and resources', async () => {
    const { call } = connected
    const weather = await call('all__get-structured-content', { location: 'Chicago' })
    expect(weather).toMatchObject({ ok: true, output: { temperature: expect.any(Number) } })
    expect((await call('all__get-tiny-image')).output).toMatch(/\[image, image\/png, \d+ bytes\]/)
    const reference = await call('all__get-resource-reference', {
      resourceType: 'Text',
      resourceId: 1,
    })
    expect(reference.output).toMatch(/\[resource, demo:/)
    expect((await call('all__get-resource-links', { count: 2 })).output).toMatch(/\[link to a/)
  })

  test('refuses wrong arguments, in the client and in the server', async () => {
    const { call } = connected
    expect(await call('all__get-sum', { a: 'x', b: 1 })).toEqual({
      ok: false,
      error: 'bad-arguments',
      output: expect.stringMatching(/a: expected a number/),
    })
    expect(await call('all__get-resource-reference', { resourceId: -1 })).toMatchObject({
      ok: false,
    })
  })

  test('is notified of an abort, and continues', async () => {
    const { call } = connected
    const stop = new AbortController()
    const args = { duration: 60, steps: 60 }
    const long = call('all__trigger-long-running-operation', args, stop.signal)
    await call('all__echo', { message: 'meanwhile' })
    stop.abort(new Error('enough'))
    await expect(long).rejects.toThrow('enough')
    expect((await call('all__echo', { message: 'after' })).output).toBe('Echo: after')
  })

  test('ends a call at its time limit, and continues', async () => {
    const { call } = await connect({ all: server() }, { timeoutMs: 400 })
    const long = await call('all__trigger-long-running-operation', { duration: 60, steps: 60 })
    expect(long).toMatchObject({ ok: false, error: 'timeout' })
    expect((await call('all__echo', { message: 'after' })).output).toBe('Echo: after')
  })
})

test('server-everything sees a minimal environment', async () => {
  const { call } = await connect({ all: everything() })
  const names = Object.keys(parsed(await call('all__get-env')))
  const allowed = ['HOME', 'LANG', 'LOOPWRIGHT_COMMAND', 'PATH', 'TMPDIR']
  expect(names.filter((name) => !allowed.includes(name))).toEqual([])
})

test('server-everything is gone after close', async () => {
  const mark = `marked-${process.pid}-${Math.random().toString(36).slice(2)}`
  const { command } = everything() as { command: readonly string[] }
  const { close } = await connect({ all: { command: [...command, mark] } })
  const pids = processesWith(mark)
  expect(pids).toHaveLength(1)
  await close()
  await until(() => !pids.some(isAlive))
  expect(processesWith(mark)).toEqual([])
})

describe('server-filesystem', () => {
  const inFolder = async (): Promise<string> => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-mcp-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'a.txt'), 'inside\n')
    return folder
  }

  test('reads and writes the files of its folder, and reports what it refuses as data', async () => {
    const folder = await inFolder()
    const { call, problems, tools } = await connect({ files: filesystem(folder) })
    expect(problems).toEqual([])
    const path = join(folder, 'a.txt')
    expect(await call('files__read_text_file', { path })).toEqual({ ok: true, output: 'inside\n' })
    const written = join(folder, 'b.txt')
    expect(await call('files__write_file', { path: written, content: 'new' })).toMatchObject({
      ok: true,
    })
    expect(await readFile(written, 'utf8')).toBe('new')
    expect((await call('files__list_directory', { path: folder })).output).toMatch(/b\.txt/)
    expect(await call('files__read_text_file', { path: '/nonexistent/x' })).toEqual({
      ok: false,
      error: 'tool-failed',
      output: expect.stringMatching(/denied/i),
    })
    // It has the risks that it declares.
    const risks = Object.fromEntries(tools.map(({ name, risk }) => [name, risk]))
    expect(risks).toMatchObject({
      files__read_text_file: 'read-only',
      files__write_file: 'destructive',
      files__create_directory: 'idempotent',
    })
  })

  test('works in the configured folder', async () => {
    const folder = await inFolder()
    const { command } = filesystem('.') as { command: readonly string[] }
    const { call } = await connect({ files: { command } }, { cwd: folder })
    expect((await call('files__list_allowed_directories')).output).toContain(folder)
  })

  test('that cannot start reports why', async () => {
    const { problems } = await connect({ files: filesystem('/nonexistent/folder') })
    expect(problems).toEqual([
      { server: 'files', message: expect.stringMatching(/nonexistent\/folder/) },
    ])
  })
})
