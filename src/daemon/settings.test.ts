import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../test/after.ts'
import { readSettings } from './settings.ts'

/** A separate home with this user configuration. */
function newHome(config?: string): NodeJS.ProcessEnv {
  const home = mkdtempSync(join(tmpdir(), 'loopwright-home-'))
  afterStory(() => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'config', 'loopwright')
  mkdirSync(folder, { recursive: true })
  if (config !== undefined) writeFileSync(join(folder, 'loopwright.yaml'), config)
  return { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_DATA_HOME: join(home, 'data') }
}

test('defaults: loopback, the known port or any, three runs at once', async () => {
  const env = newHome()
  const { settings, token, foreground } = await readSettings([], env)
  expect(settings).toEqual({
    folder: join(env['XDG_DATA_HOME'] ?? '', 'loopd'),
    hostname: '127.0.0.1',
    port: 7700,
    orAnyPort: true,
    maxConcurrentRuns: 3,
    maxRunsPerWorkspace: 3,
    queuePolicy: 'fifo',
  })
  expect([token, foreground]).toEqual([undefined, false])
})

test('a flag overrides the environment, which overrides the configuration', async () => {
  const env = newHome('daemon: { port: 1, maxConcurrentRuns: 5, queuePolicy: priority }\n')
  const told = { ...env, LOOPWRIGHT_DAEMON_PORT: '2', LOOPWRIGHT_DAEMON_QUEUE_POLICY: 'fifo' }
  const { settings } = await readSettings(['--port', '3'], told)
  expect(settings).toMatchObject({
    port: 3,
    orAnyPort: false,
    maxConcurrentRuns: 5,
    maxRunsPerWorkspace: 5,
    queuePolicy: 'fifo',
  })
  expect((await readSettings([], told)).settings).toMatchObject({ port: 2, orAnyPort: false })
  expect((await readSettings([], env)).settings).toMatchObject({ port: 1, queuePolicy: 'priority' })
})

test('a token comes from the environment; an empty one does not count', async () => {
  const env = newHome()
  expect((await readSettings([], { ...env, LOOPD_AUTH_TOKEN: 'abc' })).token).toBe('abc')
  expect((await readSettings([], { ...env, LOOPD_AUTH_TOKEN: '' })).token).toBeUndefined()
})

test('a certificate without its key is refused', async () => {
  const wrong = readSettings(['--tls-cert', 'cert.pem'], newHome())
  await expect(wrong).rejects.toThrow('--tls-key')
})
