// No process outlives its command, or the process that started it.

import { readdirSync, readFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { share } from '../share.ts'
import {
  drive,
  identities,
  listGroups,
  never,
  newFolder,
  newTag,
  readLines,
  startDriver,
  taggedProcesses,
  until,
} from './fixture.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await openSandbox({ requireTier: 'strong' })
})

/** Starts all kinds of processes that survive a plain kill; each writes a line first. */
const tree = `
  ignoring='trap "" TERM HUP INT; echo x >> started; while :; do sleep 1; done'
  setsid sh -c "$ignoring" > /dev/null 2>&1 &
  nohup sh -c "$ignoring" > /dev/null 2>&1 &
  (setsid sh -c "($ignoring) &" > /dev/null 2>&1 &)
  env -i PATH="$PATH" TAG="$TAG" setsid -f sh -c "$ignoring" > /dev/null 2>&1
  node -e 'require("child_process").spawn("sh", ["-c", process.argv[1]], { detached: true, stdio: "ignore" }).unref()' "$ignoring"
  sh -c "$ignoring"`
const treeSize = 6

describe('the end of a command', () => {
  test.each(['timeout', 'aborted', 'exited'] as const)(
    'by %s ends all processes it started',
    { timeout: 60_000 },
    async (ending) => {
      const workspace = await newFolder()
      const TAG = newTag()
      const abort = new AbortController()
      const all = (async () => {
        await until(async () => (await readLines(join(workspace, 'started'))).length >= treeSize)
        if (ending === 'aborted') abort.abort()
      })()
      const last =
        ending === 'exited'
          ? tree.replace(/sh -c "\$ignoring"$/, 'sh -c "$ignoring" & sleep 2')
          : tree
      const result = await sandbox
        .commands({ workspace, env: { TAG } })
        .run(
          { program: 'bash', args: ['-c', last], timeoutMs: ending === 'timeout' ? 3000 : 50_000 },
          abort.signal,
        )
      expect(taggedProcesses(TAG)).toEqual([])
      expect(result.ended).toBe(ending)
      await all
    },
  )

  test('starts with SIGTERM to the command itself, so that it can clean up', async () => {
    const workspace = await newFolder()
    const abort = new AbortController()
    const script = 'trap "echo cleaned; exit 42" TERM; echo ready; while :; do sleep 0.01; done'
    const onOutput = (): void => abort.abort()
    const command = { program: 'sh', args: ['-c', script], onOutput }
    const result = await sandbox.commands({ workspace }).run(command, abort.signal)
    expect(result).toMatchObject({ ended: 'aborted', stdout: 'ready\ncleaned\n' })
    expect(result).not.toHaveProperty('exitCode')
  })

  test('is immediate if the signal was aborted before the start', async () => {
    const workspace = await newFolder()
    const command = { program: 'touch', args: ['started'] }
    const result = await sandbox.commands({ workspace }).run(command, AbortSignal.abort())
    expect(result).toMatchObject({ ended: 'aborted', durationMs: 0 })
    expect(await readLines(join(workspace, 'started'))).toEqual([])
  })

  test('can happen at any moment of its start', { timeout: 60_000 }, async () => {
    const workspace = await newFolder()
    const TAG = newTag()
    const commands = sandbox.commands({ workspace, env: { TAG } })
    for (let afterMs = 0; afterMs < 20; afterMs++) {
      const abort = new AbortController()
      setTimeout(() => abort.abort(), afterMs)
      const result = await commands.run({ program: 'sleep', args: ['1000'] }, abort.signal)
      expect(result.ended).toBe('aborted')
    }
    expect(taggedProcesses(TAG)).toEqual([])
    expect(listGroups(process.pid)).toEqual([])
  })

  test('leaves no mount, no control group and no file', async () => {
    const workspace = await newFolder()
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    const commands = sandbox.commands({ workspace })
    await Promise.all(
      Array.from({ length: 5 }, () => commands.run({ program: 'true', args: [] }, never)),
    )
    await expect(commands.run({ program: 'no-such-program', args: [] }, never)).rejects.toThrow(
      'no-such-program',
    )
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).toBe(mounts)
    expect(listGroups(process.pid)).toEqual([])
  })
})

describe.each(identities)('many sandboxes of %s', (identity) => {
  test('start, run and end concurrently, and leave nothing behind', {
    timeout: 60_000,
  }, async () => {
    const workspace = await newFolder(identity)
    const TMPDIR = await newFolder(identity)
    const TAG = newTag()
    const socket = join(await newFolder(identity), 'gateway.sock')
    const server = createServer((connection) => connection.on('error', () => {}).end('answer'))
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    await chmod(socket, 0o777)
    onTestFinished(() => void server.close())
    const place = { workspace, env: { TAG }, gateway: { socket, port: 8080 } }
    const scripts = [
      'cat < /dev/tcp/127.0.0.1/8080; echo x >> all',
      'setsid sleep 1000 & cat < /dev/tcp/127.0.0.1/8080',
      'trap "" TERM; sleep 1000',
      'kill -9 $$',
      'yes | head -c 5000000 > /dev/shm/f; wc -c < /dev/shm/f',
    ]
    const commands = Array.from({ length: 20 }, (_, index) => ({
      program: 'bash',
      args: ['-c', scripts[index % scripts.length] ?? ''],
      timeoutMs: index % scripts.length === 2 ? 2000 : 50_000,
    }))
    const job = { place, commands, together: true }
    const { results, pid } = await drive(identity, job, { env: { TMPDIR } })
    const texts = results.map((one) => one.stdout.trim() || one.exitCode || one.ended)
    const expected = ['answer', 'answer', 'timeout', 137, '5000000']
    expect(texts).toEqual(
      Array.from({ length: 20 }, (_, index) => expected[index % expected.length]),
    )
    expect(await readLines(join(workspace, 'all'))).toHaveLength(4)
    expect(taggedProcesses(TAG)).toEqual([])
    expect(taggedProcesses(`.${pid}.`)).toEqual([])
    expect(listGroups(pid)).toEqual([])
    expect(readdirSync(TMPDIR)).toEqual([])
  })
})

describe.each(identities)('a kill -9 of a process of %s', (identity) => {
  test('ends its commands, and the next process cleans up', { timeout: 60_000 }, async () => {
    const workspace = await newFolder(identity)
    const TAG = newTag()
    const command = { program: 'bash', args: ['-c', tree], env: { TAG } }
    const driver = await startDriver(identity, { place: { workspace }, commands: [command] })
    await until(async () => (await readLines(join(workspace, 'started'))).length >= treeSize)
    expect(taggedProcesses(TAG).length).toBeGreaterThanOrEqual(treeSize)
    driver.kill('SIGKILL')
    await until(() => taggedProcesses(TAG).length === 0)
    await drive(identity, {})
    expect(listGroups(driver.pid ?? 0)).toEqual([])
  })

  test('at any moment of a start leaves no running process', { timeout: 60_000 }, async () => {
    const workspace = await newFolder(identity)
    const TAG = newTag()
    const script = 'echo x >> started; setsid sleep 1000 & sleep 1000'
    const command = { program: 'sh', args: ['-c', script], env: { TAG }, timeoutMs: 60 }
    const job = { place: { workspace }, commands: Array.from({ length: 100 }, () => command) }
    for (let afterMs = 0; afterMs < 80; afterMs += share(10, 35)) {
      const before = (await readLines(join(workspace, 'started'))).length
      const driver = await startDriver(identity, job)
      await until(async () => (await readLines(join(workspace, 'started'))).length > before)
      await sleep(afterMs)
      driver.kill('SIGKILL')
      await until(() => taggedProcesses(TAG).length === 0)
    }
    expect(taggedProcesses(TAG)).toEqual([])
  })
})
