// HTTP as providers, and proxies on the way to them, use it: the response arrives or is refused,
// the accounting is right, and no request is paid for twice.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { anthropicKey, ask, openSetting, providersAt, type Setting } from './gateway-fixture.ts'
import {
  answerWith,
  type RawProvider,
  type RawReply,
  startRawProvider,
  wholeAnswer,
  wholeStream,
} from './raw-provider.ts'

const limits = { idleMs: 10_000, totalMs: 20_000, answerMs: 10_000 }

interface Scene extends AsyncDisposable {
  readonly setting: Setting
  readonly provider: RawProvider
}

async function openScene(reply: RawReply): Promise<Scene> {
  const provider = await startRawProvider(reply)
  const setting = await openSetting([{ status: 500 }], {
    limits,
    session: { providers: providersAt(provider.url) },
  })
  return {
    setting,
    provider,
    async [Symbol.asyncDispose]() {
      await setting[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

const stream = { 'content-type': 'text/event-stream' }

async function expectWhole({ setting, provider }: Scene, requests = 1): Promise<void> {
  const totals = await setting.session.close()
  expect(totals).toMatchObject({ isEstimated: false, trouble: undefined, spent: { tokens: 27 } })
  expect(setting.ledger).toMatchObject({ open: 0, spent: { tokens: 27 } })
  expect(setting.exchanges[0]?.ended).toBe('complete')
  expect(provider.requests).toHaveLength(requests)
}

const encodings = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const

test.each(encodings)(
  'a response in %s, which was not requested, is decoded',
  async (name, pack) => {
    const headers = { 'content-encoding': name }
    await using scene = await openScene((socket) =>
      socket.write(answerWith(pack(wholeAnswer), headers)),
    )
    const answer = await ask(scene.setting, 'anthropic', false)
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect(await answer.text()).toBe(wholeAnswer)
    expect(scene.provider.requests[0]).toMatch(/accept-encoding: identity/i)
    await expectWhole(scene)
  },
)

test.each(encodings)('a stream in %s is decoded', async (name, pack) => {
  const headers = { ...stream, 'content-encoding': name }
  await using scene = await openScene((socket) =>
    socket.write(answerWith(pack(wholeStream), headers)),
  )
  expect(await (await ask(scene.setting, 'anthropic', true)).text()).toBe(wholeStream)
  await expectWhole(scene)
})

test('a key in a compressed response is found', async () => {
  const body = JSON.stringify({ error: { message: `bad key ${anthropicKey}` } })
  const headers = { 'content-encoding': 'gzip' }
  await using scene = await openScene((socket) =>
    socket.write(answerWith(gzipSync(body), headers, '401 Unauthorized')),
  )
  const text = await (await ask(scene.setting, 'anthropic', false)).text()
  const totals = await scene.setting.session.close()
  expect(text).toContain('bad key [secret]')
  expect(JSON.stringify([scene.setting.exchanges, totals])).not.toContain(anthropicKey)
})

test('an unknown encoding is refused and charged the worst case', async () => {
  const headers = { 'content-encoding': 'zstd' }
  await using scene = await openScene((socket) => socket.write(answerWith('?????', headers)))
  const answer = await ask(scene.setting, 'anthropic', false)
  expect(answer.status).toBe(502)
  expect(await answer.text()).toContain('zstd')
  expect((await scene.setting.session.close()).isEstimated).toBe(true)
  expect(scene.setting.ledger.spent.tokens).toBeGreaterThan(1000)
  expect(scene.provider.requests).toHaveLength(1)
})

test('a response that does not match its encoding is broken', async () => {
  const headers = { ...stream, 'content-encoding': 'gzip' }
  await using scene = await openScene((socket) => socket.write(answerWith(wholeStream, headers)))
  await (await ask(scene.setting, 'anthropic', true)).text().catch(() => '')
  expect((await scene.setting.session.close()).isEstimated).toBe(true)
  expect(scene.setting.exchanges[0]?.ended).toBe('cut')
  expect(scene.setting.ledger.open).toBe(0)
})

test('an HTTP/1.0 response that ends with its connection is complete', async () => {
  await using scene = await openScene((socket) =>
    socket.end(`HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${wholeStream}`),
  )
  expect(await (await ask(scene.setting, 'anthropic', true)).text()).toBe(wholeStream)
  await expectWhole(scene)
})

test('informational responses precede the response', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'
  await using scene = await openScene((socket) => {
    socket.write(`HTTP/1.1 100 Continue\r\n\r\n${early}`)
    socket.write(answerWith(wholeAnswer))
  })
  expect(await (await ask(scene.setting, 'anthropic', false)).text()).toBe(wholeAnswer)
  await expectWhole(scene)
})

test('trailers do not reach the client', async () => {
  const size = Buffer.byteLength(wholeStream).toString(16)
  await using scene = await openScene((socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n' +
        `Trailer: x-key\r\n\r\n${size}\r\n${wholeStream}\r\n0\r\nx-key: ${anthropicKey}\r\n\r\n`,
    ),
  )
  const answer = await ask(scene.setting, 'anthropic', true)
  expect(await answer.text()).toBe(wholeStream)
  expect(answer.headers.get('trailer')).toBeNull()
  await expectWhole(scene)
})

test.each([
  ['no HTTP', 'hello?\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`],
])('%s is a broken provider: a few attempts, then 502', async (_name, bytes) => {
  await using scene = await openScene((socket) => socket.end(bytes))
  const answer = await ask(scene.setting, 'anthropic', false)
  expect(answer.status).toBe(502)
  await scene.setting.session.close()
  expect(scene.setting.exchanges[0]).toMatchObject({ ended: 'broken', attempts: 4 })
  expect(scene.provider.requests).toHaveLength(4)
  expect(scene.setting.ledger.open).toBe(0)
})

test('an error with a success status is not taken as a response', async () => {
  const body = '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'
  await using scene = await openScene((socket) => socket.write(answerWith(body)))
  const answer = await ask(scene.setting, 'anthropic', false)
  expect(await answer.text()).toBe(body)
  const totals = await scene.setting.session.close()
  expect(scene.setting.exchanges[0]?.ended).toBe('failed')
  expect(totals).toMatchObject({ isEstimated: true, trouble: { kind: 'failed' } })
  expect(scene.setting.ledger.spent.tokens).toBeLessThan(200)
})

test('an error within a stream is reported as one', async () => {
  const event = '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'
  const [start = ''] = wholeStream.split('\n\n')
  const body = `${start}\n\nevent: error\ndata: ${event}\n\n`
  await using scene = await openScene((socket) => socket.write(answerWith(body, stream)))
  expect(await (await ask(scene.setting, 'anthropic', true)).text()).toBe(body)
  expect((await scene.setting.session.close()).trouble?.kind).toBe('failed')
  expect(scene.setting.exchanges[0]?.ended).toBe('failed')
})

test('a stale connection is not a failed call, and costs nothing', async () => {
  // The second request on a connection meets its end, as if it had been closed on the way.
  await using scene = await openScene((socket, { onConnection }) => {
    if (onConnection === 1) socket.write(answerWith(wholeAnswer))
    else socket.resetAndDestroy()
  })
  for (let count = 0; count < 3; count++) {
    const answer = await ask(scene.setting, 'anthropic', false)
    expect(await answer.text()).toBe(wholeAnswer)
  }
  const totals = await scene.setting.session.close()
  expect(totals).toMatchObject({ requests: 3, isEstimated: false, spent: { tokens: 3 * 27 } })
  expect(scene.setting.exchanges.map(({ attempts }) => attempts)).toEqual([1, 1, 1])
})

test('a key follows no redirect', async () => {
  await using elsewhere = await startRawProvider((socket) => socket.write(answerWith(wholeAnswer)))
  const headers = { location: `${elsewhere.url}/messages` }
  for (const status of ['301 Moved', '302 Found', '307 Temporary', '308 Permanent']) {
    await using scene = await openScene((socket) => socket.write(answerWith('', headers, status)))
    expect((await ask(scene.setting, 'anthropic', false)).status).toBe(502)
    expect(scene.setting.ledger.spent.tokens).toBe(0)
  }
  expect(elsewhere.requests).toHaveLength(0)
})

test('bytes that are not text pass unchanged, and replay unchanged', async () => {
  const odd = Buffer.concat([
    Buffer.from('data: {"type":"ping","odd":"'),
    Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xf0, 0x9f]),
    Buffer.from(`"}\n\n${wholeStream}`),
  ])
  await using scene = await openScene((socket) => socket.write(answerWith(odd, stream)))
  const passed = Buffer.from(await (await ask(scene.setting, 'anthropic', true)).arrayBuffer())
  expect(passed.equals(odd)).toBe(true)
  await expectWhole(scene)
  const { exchanges } = scene.setting
  await using again = await openSetting([], { session: { replay: { exchanges } } })
  const replayed = Buffer.from(await (await ask(again, 'anthropic', true)).arrayBuffer())
  expect(replayed.equals(odd)).toBe(true)
})

test('a response that ends twice is charged once', async () => {
  const last = wholeStream.split('\n\n').slice(2).join('\n\n')
  await using scene = await openScene((socket) =>
    socket.write(answerWith(wholeStream + last, stream)),
  )
  expect(await (await ask(scene.setting, 'anthropic', true)).text()).toBe(wholeStream + last)
  await expectWhole(scene)
})
