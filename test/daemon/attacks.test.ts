// A share of `npm run proof` (area daemon), through the same code, and the proof that it can fail: the
// same attacks on a daemon whose guard somebody went round.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { attackAll, attackDaemon } from '../../build/proof/daemon-attacks.js'
import { lookAtModes } from '../../build/proof/daemon-modes.js'
import { createDaemon } from '../../src/daemon/index.ts'
import { afterStory } from '../after.ts'
import { inProof } from '../share.ts'
import { newState } from './start-daemon.ts'

test('S1, S2, S3, S7: every attack on every route is rejected, and the journal stays unchanged', async () => {
  const { made, routes, problems } = await attackDaemon()
  expect(problems).toEqual([])
  expect([...made.keys()]).toEqual(['S1', 'S2', 'S3', 'S7'])
  expect(routes).toBeGreaterThanOrEqual(35)
})

test.each(inProof)('S16: with any umask, only the owner can read what is created', async () => {
  const { seen, problems } = await lookAtModes(1)
  expect(problems).toEqual([])
  expect(seen).toBeGreaterThan(20)
})

test('the same attacks succeed without the guard', async () => {
  const token = 't'.repeat(43)
  const { socket, stop } = await createDaemon(
    {
      folder: newState(),
      hostname: '127.0.0.1',
      port: 0,
      maxConcurrentRuns: 1,
      maxRunsPerWorkspace: 1,
      queuePolicy: 'fifo',
    },
    { token, logLevel: 'silent' },
  )
  afterStory(() => stop({ atOnce: true }))
  const port = await openWayRound(socket, token)
  const target = { port, token, readToken: 'r', oldToken: 'o', otherToken: 'x' }
  const routes = [
    { method: 'GET', path: '/runs', body: '{}' },
    { method: 'POST', path: '/loops/preview', body: '{}' },
  ]
  const { problems } = await attackAll(target, routes, { run: 'none', file: '/none' })
  for (const table of ['S1', 'S2', 'S3', 'S7']) {
    expect(problems.filter((problem) => problem.startsWith(table))).not.toEqual([])
  }
})

/** Passes everything on as if the owner had sent it. */
async function openWayRound(socket: string, token: string): Promise<number> {
  const server = createServer({ requireHostHeader: false }, (asked, answer) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const { method, url: path } = asked
    const onward = request({ socketPath: socket, method, path, headers }, (said) => {
      answer.writeHead(said.statusCode ?? 0, said.headers)
      said.pipe(answer)
    })
    asked.resume()
    onward.end(method === 'GET' ? undefined : '{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  afterStory(() => server.close())
  return (server.address() as AddressInfo).port
}
