// How the process ends: by signals, and by internal errors.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { loopd } from '../../build/proof/daemon-process.js'
import { rotateToken } from '../../src/daemon/token-file.ts'
import { openHost } from '../../src/host/index.ts'
import { getDaemonFiles } from '../../src/system/daemon-files.ts'
import { newState, type StartedDaemon, startDaemon } from './start-daemon.ts'

/** Of all runs; resolves when it is open. */
function openStream({ address, token }: StartedDaemon): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  return new Promise((resolve, reject) => {
    get(`${address}/events`, { headers }, resolve).on('error', reject)
  })
}

function closed(stream: IncomingMessage): Promise<string> {
  stream.resume()
  return new Promise((resolve) => {
    stream.on('error', () => undefined)
    stream.on('close', () => resolve(stream.complete ? 'ended' : 'cut'))
  })
}

test('a stream is cut when its token is replaced, and ends when the daemon does', async () => {
  const daemon = await startDaemon()
  const first = await openStream(daemon)
  expect(first.statusCode).toBe(200)
  const cut = closed(first)
  const token = rotateToken(daemon.state)
  expect(await cut).toBe('cut')
  const second = await openStream({ ...daemon, token })
  expect(second.statusCode).toBe(200)
  const ended = closed(second)
  expect(await daemon.stop()).toBe(0)
  expect(await ended).toBe('ended')
  const { file, pid, socket } = getDaemonFiles(daemon.state)
  expect([file, pid, socket].filter((path) => existsSync(path))).toEqual([])
})

test('an internal error is logged, the journal is closed, and the exit code reports it', async () => {
  const state = newState()
  // As soon as it can be reached, something inside it throws.
  const planted = join(dirname(state), 'planted.mjs')
  writeFileSync(
    planted,
    `import { mkdirSync, watch } from 'node:fs'
     mkdirSync(${JSON.stringify(join(state, 'daemon'))}, { recursive: true, mode: 0o700 })
     watch(${JSON.stringify(join(state, 'daemon'))}, (event, name) => {
       if (name === 'daemon.json') setImmediate(() => { throw new Error('planted, sk-canary-12345') })
     }).unref()`,
  )
  const child = spawn(process.execPath, [loopd, '--state', state, '--port', '0'], {
    env: {
      NODE_OPTIONS: `--import=${pathToFileURL(planted).href}`,
      HOME: state,
      ANY_API_KEY: 'sk-canary-12345',
    },
    stdio: 'ignore',
  })
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(70)
  const place = getDaemonFiles(state)
  const log = readFileSync(place.log, 'utf8')
  expect(log).toContain('internal error; shutting down')
  expect(log).toContain('planted')
  expect(log).not.toContain('sk-canary-12345')
  expect(existsSync(place.file)).toBe(false)
  // The write-ahead log was checkpointed into the database.
  const wal = statSync(join(state, 'journal.db-wal'), { throwIfNoEntry: false })
  expect(wal?.size ?? 0).toBe(0)
  const host = await openHost({ folder: state })
  expect(await host.problems()).toEqual([])
  await host.close()
})
