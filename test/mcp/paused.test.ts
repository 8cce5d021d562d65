// A sandboxed server runs only during calls: it cannot touch a file in between.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { StartProcess } from '../../src/engine/index.ts'
import { openSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { newFolder, newTag, taggedProcesses, until } from '../sandbox/fixture.ts'
import { type ConnectedServer, connect } from './fixture.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await openSandbox({ requireTier: 'strong' })
})

const program = join(import.meta.dirname, 'restless-server.mjs')
const writers = ['timer', 'thread', 'child', 'orphan'] as const

interface Restless extends ConnectedServer {
  readonly tag: string
  /** How often each of its parts has written. */
  counts(): Readonly<Record<string, number>>
}

async function restless(timeoutMs = 60_000): Promise<Restless> {
  const workspace = await newFolder()
  const tag = newTag()
  const startServer: StartProcess = (command) =>
    sandbox.start({ workspace, readOnly: [program] }, command)
  const server = { command: [process.execPath, program], env: { TAG: tag } }
  const connected = await connect({ it: server }, { startServer, timeoutMs, cwd: workspace })
  expect(connected.problems).toEqual([])
  const describeSize = (name: string): number =>
    statSync(join(workspace, `${name}.count`), { throwIfNoEntry: false })?.size ?? 0
  return {
    ...connected,
    tag,
    counts: () => Object.fromEntries(writers.map((name) => [name, describeSize(name)])),
  }
}

/** Checked twice, with time in between for thousands of writes. */
async function expectStillness({ counts }: Restless): Promise<void> {
  const before = counts()
  await sleep(300)
  expect(counts()).toEqual(before)
}

/** All its parts write again during a call. */
async function expectWork({ call, counts }: Restless): Promise<void> {
  const before = counts()
  const isChanged = (): boolean =>
    writers.every((name) => (counts()[name] ?? 0) > (before[name] ?? 0))
  for (let tries = 0; tries < 100 && !isChanged(); tries++) await call('it__wait', { ms: 100 })
  expect(isChanged()).toBe(true)
}

describe('a server that is never idle', () => {
  test('does nothing between calls, works in the next one, and is dead when closed', async () => {
    const server = await restless()
    await expectStillness(server)
    await expectWork(server)
    await expectStillness(server)
    await expectWork(server)
    await expectStillness(server)
    expect(taggedProcesses(server.tag).length).toBeGreaterThanOrEqual(3)
    await server.close()
    expect(taggedProcesses(server.tag)).toEqual([])
  })

  test('does nothing after a cancelled call, or one that timed out', async () => {
    const server = await restless(500)
    await expectWork(server)
    const stop = new AbortController()
    const cancelled = server.call('it__hang', {}, stop.signal)
    stop.abort(new Error('enough'))
    await expect(cancelled).rejects.toThrow('enough')
    await expectStillness(server)
    expect(await server.call('it__hang')).toMatchObject({ ok: false, error: 'timeout' })
    await expectStillness(server)
    await expectWork(server)
  })

  test('runs until the last of several calls is answered', async () => {
    const server = await restless()
    const first = server.call('it__wait', { ms: 0, text: 'first' })
    const second = server.call('it__wait', { ms: 400, text: 'second' })
    expect(await first).toMatchObject({ ok: true, output: 'first' })
    expect(await second).toMatchObject({ ok: true, output: 'second' })
    await expectStillness(server)
  })

  test('is dead after it is closed while paused, and while a call is in progress', async () => {
    const paused = await restless()
    await paused.close()
    expect(taggedProcesses(paused.tag)).toEqual([])
    const busy = await restless()
    const call = busy.call('it__hang')
    await until(() => taggedProcesses(busy.tag).length > 0)
    await busy.close()
    expect(await call).toMatchObject({ ok: false, error: 'server-gone' })
    expect(taggedProcesses(busy.tag)).toEqual([])
  })
})

test('none of several servers runs while another is started', async () => {
  const workspace = await newFolder()
  const seen: string[] = []
  const startServer: StartProcess = (command) => {
    const name = command.env?.['NAME'] ?? ''
    const started = sandbox.start({ workspace, readOnly: [program] }, command)
    seen.push(`${name} starts`)
    return {
      ...started,
      async pause() {
        await started.pause?.()
        seen.push(`${name} is paused`)
      },
      resume() {
        seen.push(`${name} goes on`)
        started.resume?.()
      },
    }
  }
  const server = (name: string) => ({ command: [process.execPath, program], env: { NAME: name } })
  await connect({ a: server('A'), b: server('B') }, { startServer, cwd: workspace })
  const ofOne = (name: string): readonly string[] =>
    ['starts', 'is paused', 'goes on', 'is paused'].map((what) => `${name} ${what}`)
  expect(seen).toEqual([...ofOne('A'), ...ofOne('B')])
})
