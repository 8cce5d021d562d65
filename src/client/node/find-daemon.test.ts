import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import { clientOf, daemonFolder } from './find-daemon.ts'

test('refuses to send a token that other users can read, and says what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-find-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(daemonFolder(folder))
  const token = join(daemonFolder(folder), 'token')
  writeFileSync(token, 'the-token\n', { mode: 0o600 })
  chmodSync(token, 0o644)
  expect(clientOf(folder)).toBeUndefined()
  const file = { pid: 1, address: 'http://127.0.0.1:1', startedAtMs: 1, version: '0' }
  writeFileSync(join(daemonFolder(folder), 'daemon.json'), JSON.stringify(file))
  expect(() => clientOf(folder)).toThrow(
    /Other users can read .*\(mode 644\).*loopctl daemon token --rotate/,
  )
  expect(clientOf(folder, 'another')).toBeDefined()
  chmodSync(token, 0o600)
  expect(clientOf(folder)).toBeDefined()
})

test('reads the token file again after it was replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-find-'))
  const sent: (string | undefined)[] = []
  const server = createServer(({ headers }, response) => {
    sent.push(headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
  })
  afterStory(() => {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  mkdirSync(daemonFolder(folder))
  const token = join(daemonFolder(folder), 'token')
  const file = { pid: 1, address: `http://127.0.0.1:${port}`, startedAtMs: 1, version: '0' }
  writeFileSync(join(daemonFolder(folder), 'daemon.json'), JSON.stringify(file))
  writeFileSync(token, 'old\n', { mode: 0o600 })
  const client = clientOf(folder)
  await client?.health()
  writeFileSync(token, 'new\n')
  await client?.health()
  expect(sent).toEqual(['Bearer old', 'Bearer new'])
})
