import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import type { Client } from '../client.ts'
import { waitForHealth } from '../wait-for-health.ts'
import { connect } from './connect.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function serve(handler: Handler): Promise<Client> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => {
      body += part.toString()
    })
    request.on('end', () => handler(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterStory(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return connect({ address: `127.0.0.1:${port}`, token: 'the-token' })
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

test('a problem response becomes a rejection with the same code and message', async () => {
  const client = await serve((_request, response) =>
    send(response, 409, { code: 'ambiguous-run', detail: 'Say more: calm-otter or calm-owl.' }),
  )
  await expect(client.inspect('calm')).rejects.toMatchObject({
    code: 'ambiguous-run',
    message: 'Say more: calm-otter or calm-owl.',
  })
})

test('an unknown error code keeps its message, with advice', async () => {
  const client = await serve((_request, response) =>
    send(response, 500, { code: 'of-the-future', detail: 'The moon is full.' }),
  )
  await expect(client.inspect('x')).rejects.toThrow(/The moon is full.*loopctl daemon stop/)
})

test('a run name is encoded into the path, and the token is sent', async () => {
  const seen: (string | undefined)[] = []
  const client = await serve(({ url, headers }, response) => {
    seen.push(url, headers.authorization)
    send(response, 200, { run: {} })
  })
  await client.inspect('../daemon?x=1')
  expect(seen).toEqual(['/runs/..%2Fdaemon%3Fx%3D1', 'Bearer the-token'])
})

test('any other response means that it is not a daemon', async () => {
  const client = await serve((_request, response) => void response.end('<html>hello</html>'))
  await expect(client.runs()).rejects.toThrow(/does not answer like a Loopwright daemon/)
  const list = await serve((_request, response) => send(response, 200, []))
  await expect(list.runs()).rejects.toThrow(/does not answer like a Loopwright daemon/)
})

test('events continue after a lost connection, to the end of the run', async () => {
  const asked: unknown[] = []
  const client = await serve(({ headers, socket }, response) => {
    asked.push(headers['last-event-id'])
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (asked.length === 1) {
      response.write(
        ': beat\n\nid: 8\ndata: {"seq":8,"event":{"type":"warning"}}\n\nid: 9\nda',
        () => socket.destroy(),
      )
    } else response.write('id: 9\ndata: {"seq":9,"event":{"type":"run-ended"}}\n\n')
  })
  const seen: number[] = []
  for await (const { seq } of client.events('calm-otter', { afterSeq: 7 })) seen.push(seq)
  expect(seen).toEqual([8, 9])
  expect(asked).toEqual(['7', '8'])
})

test('waits for a missing daemon, then reports where it looked', async () => {
  const gone = connect({ address: '127.0.0.1:1', token: 'x' })
  let attempts = 0
  const waiting = waitForHealth(
    () => {
      attempts++
      return gone
    },
    { windowMs: 60_000, firstMs: 1, isLost: () => attempts > 2 },
  )
  await expect(waiting).rejects.toThrow(/127\.0\.0\.1:1 .*--addr or LOOPD_ADDR.*LOOPD_TOKEN/)
  expect(attempts).toBe(3)
})

test('stops waiting for a daemon at the end of the time', async () => {
  const gone = connect({ address: '127.0.0.1:1', token: 'x' })
  await expect(waitForHealth(() => gone, { windowMs: 10, firstMs: 1 })).rejects.toThrow(
    /127\.0\.0\.1:1 within 0\.01 s/,
  )
})

test('reports a refused token at once', async () => {
  const client = await serve((_request, response) =>
    send(response, 401, { code: 'no-token', detail: 'Send the header Authorization.' }),
  )
  await expect(waitForHealth(() => client)).rejects.toThrow(/--token or LOOPD_TOKEN/)
})
