// The report of a round leaves a real daemon, also if the daemon is killed while it sends.

import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { warmLoopctl } from '../warm-loopctl.ts'
import { startDaemon } from './start-daemon.ts'

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

test('a daemon that is killed while it sends a report sends it again after its start, with the same id', async () => {
  const received: { readonly headers: Record<string, string>; readonly body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = request.headers as Record<string, string>
      received.push({ headers, body: Buffer.concat(chunks).toString('utf8') })
      // The first one gets no answer.
      if (received.length > 1) response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports`
  const env = { ...process.env, LOOPWRIGHT_WEBHOOKS: url, SECRET: secret }
  const first = await startDaemon({ env })
  const { state } = first
  const folder = join(dirname(state), 'project')
  mkdirSync(join(folder, 'work'), { recursive: true })
  writeFileSync(
    join(folder, 'triage.yaml'),
    `loop: round
name: triage
workspace: work
worktree: false
intent: Look around.
level: 1
agents:
  maker: { script: [[{ say: Nothing new. }]] }
  checker: { script: [[{ say: pass }]] }
deliver: [{ webhook: { url: "${url}", secretEnv: SECRET } }, file]
`,
  )
  const caller = { PATH: process.env['PATH'] ?? '', HOME: folder, LOOPWRIGHT_STATE: state }
  const ctl = (...args: string[]) => warmLoopctl(args, caller, folder)
  expect(await ctl('run', 'triage.yaml', '--trust', '--detach', '--name', 'look')).toMatchObject({
    code: 0,
  })
  await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 30_000 })
  await first.kill()
  const second = await startDaemon({ state, env })
  await vi.waitFor(() => expect(received).toHaveLength(2), { timeout: 30_000 })
  const [one, two] = received
  expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
  const verified = new Webhook(secret).verify(two?.body ?? '', two?.headers ?? {})
  expect(verified).toMatchObject({ data: { report: { loop: 'triage', run: 'look' } } })
  await second.stop()
})
