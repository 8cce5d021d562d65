// The daemon in this process: what it refuses, and how it ends. test/daemon runs it as a process.

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import { clientOf, waitForHealth } from '../client/index.ts'
import { getDaemonFiles } from '../system/daemon-files.ts'
import { createDaemon, type Daemon, type DaemonOptions } from './create-daemon.ts'
import type { DaemonSettings } from './parts.ts'

function newSettings(change: Partial<DaemonSettings> = {}): DaemonSettings {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-daemon-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return {
    folder: join(folder, 'state'),
    hostname: '127.0.0.1',
    port: 0,
    maxConcurrentRuns: 1,
    maxRunsPerWorkspace: 1,
    queuePolicy: 'fifo',
    ...change,
  }
}

async function start(settings: DaemonSettings, options?: DaemonOptions): Promise<Daemon> {
  const daemon = await createDaemon(settings, { logLevel: 'silent', ...options })
  afterStory(() => daemon.stop({ atOnce: true }))
  return daemon
}

const token = 't'.repeat(43)
const headers = { authorization: `Bearer ${token}` }

describe('listening', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.evil.example', '::ffff:127.0.0.1'])(
    '%s is refused without TLS, and the state folder is unlocked',
    async (hostname) => {
      const settings = newSettings({ hostname })
      await expect(createDaemon(settings)).rejects.toThrow('--tls-cert')
      await start({ ...settings, hostname: 'localhost' })
    },
  )

  test('names of other machines are refused without TLS', async () => {
    const settings = newSettings({ publicNames: ['build-box.example'] })
    await expect(createDaemon(settings)).rejects.toThrow('--public-name')
  })

  test('a socket whose path would be too long is in the runtime folder', async () => {
    const settings = newSettings()
    const daemon = await start({ ...settings, folder: join(settings.folder, 'x'.repeat(120)) })
    expect(Buffer.byteLength(daemon.socket)).toBeLessThanOrEqual(100)
    expect(statSync(daemon.socket).mode & 0o777).toBe(0o600)
    await daemon.stop()
    expect(existsSync(dirname(daemon.socket))).toBe(false)
  })

  test('an invalid certificate is reported', async () => {
    const tls = { cert: '/no/such/file', key: '/no/such/file' }
    const settings = newSettings({ hostname: '0.0.0.0', tls })
    await expect(createDaemon(settings)).rejects.toThrow('in PEM')
  })

  test('a port in use is an error if it was requested, and otherwise replaced by a free one', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    afterStory(() => other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const settings = newSettings({ port })
    await expect(createDaemon(settings)).rejects.toThrow(`Port ${port}`)
    const lines: string[] = []
    const logged = { logLevel: 'warn', echo: (line: string) => lines.push(line) } as const
    const daemon = await start({ ...settings, orAnyPort: true }, logged)
    expect(daemon.address).not.toContain(`:${port}`)
    expect(lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)).toEqual([
      'the port is used by another program; using another',
    ])
  })
})

describe('settings', () => {
  test('the daemon reports the port it listens on', async () => {
    const daemon = await start(newSettings(), { token })
    const info = await (await fetch(`${daemon.address}/daemon`, { headers })).json()
    expect(info).toMatchObject({ settings: { port: Number(new URL(daemon.address).port) } })
  })

  test('a short token is refused', async () => {
    await expect(createDaemon(newSettings(), { token: 'short' })).rejects.toThrow(
      'LOOPD_AUTH_TOKEN',
    )
  })

  test('a token that is passed in replaces the token file', async () => {
    const settings = newSettings()
    const daemon = await start(settings, { token })
    expect((await fetch(`${daemon.address}/health`, { headers })).status).toBe(200)
    expect(existsSync(getDaemonFiles(settings.folder).token)).toBe(false)
    expect(await clientOf(settings.folder, token)?.daemon()).toMatchObject({ isReady: true })
    // A client without the token learns only that there is a daemon.
    await expect(clientOf(settings.folder)?.health()).rejects.toThrow('does not accept this token')
  })

  test('no token and no secret of the environment is in the log', async () => {
    const lines: string[] = []
    const settings = newSettings()
    process.env['SOME_API_KEY'] = 'sk-canary-in-the-environment'
    afterStory(() => delete process.env['SOME_API_KEY'])
    const daemon = await start(settings, {
      token,
      logLevel: 'info',
      echo: (line) => lines.push(line),
    })
    const encoded = Buffer.from(`me:${token}`).toString('base64')
    daemon.log.error({ error: new Error(`sent ${token}`), headers }, `as ${encoded}`)
    daemon.log.info({ request: { headers: { authorization: 'Bearer of-somebody-else' } } }, 'x')
    daemon.log.warn({ note: 'sk-canary-in-the-environment' }, 'x')
    const kept = lines.join('') + readFileSync(getDaemonFiles(settings.folder).log, 'utf8')
    expect(lines.length).toBeGreaterThanOrEqual(4)
    for (const secret of [token, encoded.slice(8, -4), 'of-somebody-else', 'sk-canary']) {
      expect(kept).not.toContain(secret)
    }
  })
})

test('the files that clients find it by are restored when they are removed', async () => {
  const settings = newSettings()
  await start(settings, { token })
  const { pid, file, socket } = getDaemonFiles(settings.folder)
  for (const path of [pid, file, socket]) rmSync(path)
  const client = await waitForHealth(() => clientOf(settings.folder, token), { windowMs: 30_000 })
  expect(client.where).toContain(socket)
  expect(readFileSync(pid, 'utf8')).toBe(`${process.pid}\n`)
})

test('it ends when its state folder is moved away, and does not create a new one', async () => {
  const settings = newSettings()
  const lost: string[] = []
  const daemon = await start(settings, { onLost: (message) => void lost.push(message) })
  renameSync(settings.folder, `${settings.folder}.moved`)
  await daemon.ended
  expect(lost).toEqual([expect.stringContaining('Restore it')])
  expect(existsSync(settings.folder)).toBe(false)
})

describe('stopping', () => {
  test('answers reads and refuses changes while it drains, then releases everything', async () => {
    const settings = newSettings()
    const daemon = await start(settings, { token })
    let finish: () => void = () => undefined
    const draining = new Promise<void>((resolve) => {
      finish = resolve
    })
    Object.assign(daemon.scheduler, { drain: () => draining })
    const ended = daemon.stop()
    expect((await fetch(`${daemon.address}/ready`, { headers })).status).toBe(503)
    const body = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const refused = await fetch(`${daemon.address}/runs`, { ...body, body: '{}' })
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({ code: 'daemon-ending' })
    finish()
    await ended
    await expect(fetch(`${daemon.address}/ready`, { headers })).rejects.toThrow('fetch failed')
    expect(existsSync(getDaemonFiles(settings.folder).file)).toBe(false)
    await start(settings)
  })

  test('an immediate stop does not wait for runs', async () => {
    const daemon = await start(newSettings(), { token })
    Object.assign(daemon.scheduler, { drain: () => new Promise(() => undefined) })
    const ended = daemon.stop()
    void daemon.stop({ atOnce: true })
    expect(await ended).toBeUndefined()
  })

  test('two daemons in one process cannot share a state folder', async () => {
    const settings = newSettings()
    await start(settings)
    await expect(createDaemon(settings)).rejects.toThrow(`pid ${process.pid}`)
  })
})
