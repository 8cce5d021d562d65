// The daemon with a certificate. It still listens on this machine only: tests do not open public
// ports.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendRaw } from '../../build/proof/raw-http.js'
import { createDaemon } from '../../src/daemon/index.ts'
import { afterStory } from '../after.ts'
import { newState } from './start-daemon.ts'

const token = 't'.repeat(43)

test('answers requests to its public name over TLS, and not over plain HTTP', async () => {
  const { cert, key } = makeCertificate()
  const daemon = await createDaemon(
    {
      folder: newState(),
      hostname: '127.0.0.1',
      port: 0,
      tls: { cert, key },
      publicNames: ['build-box.example', 'front.example:443'],
      maxConcurrentRuns: 1,
      maxRunsPerWorkspace: 1,
      queuePolicy: 'fifo',
    },
    { token, logLevel: 'silent' },
  )
  afterStory(() => daemon.stop({ atOnce: true }))
  const port = Number(new URL(daemon.address).port)
  expect(daemon.address).toBe(`https://127.0.0.1:${port}`)
  const ask = (host: string, more: Readonly<Record<string, string>> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${token}`, ...more }
      const ca = readFileSync(cert)
      const options = { host: '127.0.0.1', port, path: '/health', headers, ca }
      get({ ...options, servername: 'localhost' }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      }).on('error', reject)
    })
  expect(await ask(`build-box.example:${port}`)).toBe(200)
  expect(await ask('front.example:443')).toBe(200)
  expect(await ask(`localhost:${port}`)).toBe(200)
  expect(await ask('build-box.example')).toBe(421)
  expect(await ask(`evil.example:${port}`)).toBe(421)
  const origin = `https://build-box.example:${port}`
  expect(await ask(`build-box.example:${port}`, { origin })).toBe(200)
  const clear = origin.replace('https', 'http')
  expect(await ask(`build-box.example:${port}`, { origin: clear })).toBe(403)
  const headers = [
    ['Host', `localhost:${port}`] as const,
    ['Authorization', `Bearer ${token}`] as const,
  ]
  expect((await sendRaw({ port }, { method: 'GET', path: '/health', headers })).status).not.toBe(
    200,
  )
})

function makeCertificate(): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-tls-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
  ]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...kind, '-days', '2', ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { cert, key }
}
