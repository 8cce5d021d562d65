// Recorded exchanges: without secrets, complete enough to be replayed, and never answered in any
// other way.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import {
  type Exchange,
  faultOf,
  openGateway,
  readExchange,
  writeExchange,
} from '../../src/gateway/index.ts'
import type { ModelAnswer } from '../../src/testing/index.ts'
import {
  anthropicKey,
  ask,
  createLedger,
  formats,
  keys,
  openSetting,
  type SettingOptions,
} from './gateway-fixture.ts'

const script: readonly ModelAnswer[] = [
  { text: 'first äö', calls: [{ name: 'read', args: { path: 'a' } }] },
  { status: 400, message: 'bad' },
  { text: 'cut here', fault: { does: 'cut', afterEvents: 1 } },
  { text: 'last' },
]

async function conversation(setting: Awaited<ReturnType<typeof openSetting>>): Promise<string[]> {
  const texts: string[] = []
  for (const format of formats) {
    const answer = await ask(setting, format, true)
    texts.push(`${answer.status} ${await answer.text().catch(() => 'broken')}`)
  }
  return texts
}

async function recorded(): Promise<{ exchanges: readonly Exchange[]; texts: string[] }> {
  await using setting = await openSetting(script)
  const texts = await conversation(setting)
  await setting.session.close()
  const kept = setting.exchanges.map(async (one) => readExchange(await writeExchange(one)))
  return { exchanges: await Promise.all(kept), texts }
}

const replaying = (exchanges: readonly Exchange[]): SettingOptions => ({
  session: { replay: { exchanges } },
})

test('a replay gives the same responses and calls no provider', async () => {
  const { exchanges, texts } = await recorded()
  expect(exchanges.map(({ ordinal, ended }) => `${ordinal} ${ended}`)).toEqual([
    '1 complete',
    '2 refused',
    '3 cut',
    '4 complete',
  ])
  await using setting = await openSetting([{ text: 'must not be asked' }], replaying(exchanges))
  expect(await conversation(setting)).toEqual(texts)
  const totals = await setting.session.close()
  expect(setting.server.requests).toHaveLength(0)
  expect(totals).toMatchObject({ requests: 0, diverged: undefined, trouble: undefined })
  // A replayed exchange is recorded like any other, and shows that no provider was called.
  expect(
    setting.exchanges.map(({ ordinal, ended, attempts }) => [ordinal, ended, attempts]),
  ).toEqual(exchanges.map(({ ordinal, ended }) => [ordinal, ended, 0]))
})

test('a different request is a divergence: its position is reported, and no provider is called', async () => {
  const { exchanges } = await recorded()
  await using setting = await openSetting([{ text: 'must not be asked' }], replaying(exchanges))
  const answer = await setting.post('/v1/messages', {
    model: 'claude-sonnet-5',
    max_tokens: 1000,
    stream: true,
    messages: [{ role: 'user', content: 'hello, world' }],
  })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('diverged from the recording')
  const totals = await setting.session.close()
  expect(totals.diverged?.ordinal).toBe(1)
  expect(totals.diverged?.message).toMatch(
    /differs at character \d+: recorded ".*hello.*", requested ".*hello, world/,
  )
  expect(faultOf(totals)?.fault).toMatchObject({ code: 'diverged', fatal: true })
  expect(setting.server.requests).toHaveLength(0)
})

test('more requests than recorded are a divergence', async () => {
  const { exchanges } = await recorded()
  await using setting = await openSetting(
    [{ text: 'must not be asked' }],
    replaying(exchanges.slice(0, 1)),
  )
  await conversation(setting)
  const totals = await setting.session.close()
  expect(totals.diverged).toMatchObject({
    ordinal: 2,
    message: expect.stringContaining('the recording has only 1'),
  })
  expect(setting.server.requests).toHaveLength(0)
})

test('dates, ids, folders and the order of concurrent requests may differ', async () => {
  const question = (text: string): object => ({
    model: 'claude-sonnet-5',
    max_tokens: 10,
    messages: [{ role: 'user', content: text }],
  })
  await using first = await openSetting((_request, number) => ({ text: `answer ${number}` }))
  await (
    await first.post(
      '/v1/messages',
      question('in /tmp/run-1/x on 2026-11-15, id 0190a0c4-0000-7000-8000-00000000000a'),
    )
  ).text()
  await (await first.post('/v1/messages', question('a title'))).text()
  await first.session.close()
  await using second = await openSetting([], replaying(first.exchanges))
  const title = await (await second.post('/v1/messages', question('a title'))).text()
  const work = await (
    await second.post(
      '/v1/messages',
      question('in /tmp/run-9/y on 2027-01-02, id 0190ffff-1111-7000-8000-00000000000b'),
    )
  ).text()
  expect(title).toContain('answer 2')
  expect(work).toContain('answer 1')
  expect((await second.session.close()).diverged).toBeUndefined()
})

test('an exchange is replayed once', async () => {
  await using first = await openSetting([{ text: 'once' }])
  await (await ask(first, 'chat', false)).text()
  await first.session.close()
  await using second = await openSetting([], replaying(first.exchanges))
  expect((await ask(second, 'chat', false)).status).toBe(200)
  expect((await ask(second, 'chat', false)).status).toBe(400)
  expect((await second.session.close()).diverged?.ordinal).toBe(2)
})

test('the order of members may differ', async () => {
  await using first = await openSetting([{ text: 'same' }])
  await (
    await first.post('/v1/messages', { model: 'm', max_tokens: 5, metadata: { a: 1, b: 2 } })
  ).text()
  await first.session.close()
  await using second = await openSetting([], replaying(first.exchanges))
  const body = '{"metadata":{"b":2, "a":1},"model":"m","max_tokens":5}'
  expect(await (await second.post('/v1/messages', body)).text()).toContain('same')
})

test('a failure to record ends the session', async () => {
  await using setting = await openSetting([{ text: 'ok' }], {
    session: { record: () => Promise.reject(new Error('disk full')) },
  })
  expect((await ask(setting, 'chat', false)).status).toBe(200)
  await expect.poll(async () => (await ask(setting, 'chat', false)).status).toBe(503)
  expect((await setting.session.close()).trouble?.message).toContain('disk full')
})

/** A server that repeats whatever it was sent, headers too, in pieces. */
async function parrot(
  answer: (heard: string) => readonly string[],
  status: number,
): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', async () => {
      const heard = JSON.stringify({ url: request.url, headers: request.headers, body })
      response.writeHead(status, { 'content-type': 'text/event-stream', 'x-echo': 'yes' })
      for (const piece of answer(heard)) {
        response.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() }
}

test.each([
  ['an error that repeats everything', 400, (heard: string) => [heard]],
  ['a stream that repeats everything', 200, (heard: string) => [`data: ${heard}\n\n`]],
  [
    'a stream in pieces of seven bytes',
    200,
    (heard: string) => [...`data: ${heard}\n\n`.matchAll(/[\s\S]{1,7}/g)].map(([piece]) => piece),
  ],
])('%s reveals no key: not to the client, not to the recording', async (_name, status, answer) => {
  const server = await parrot(answer, status)
  const envSecret = 'env-canary-98765'
  const gateway = await openGateway({
    keys: (name) => keys[name],
    providers: { anthropic: { baseUrl: server.url } },
  })
  const exchanges: Exchange[] = []
  const notes: unknown[] = []
  const session = await gateway.session({
    step: 's',
    reserve: createLedger().reserve,
    signal: new AbortController().signal,
    record: async (exchange) => void exchanges.push(exchange),
    note: (note) => void notes.push(note),
    secrets: [envSecret],
  })
  const encoded = Buffer.from(`x${envSecret}yz`).toString('base64')
  const body = { model: 'm', max_tokens: 5, messages: [envSecret, encoded, session.token] }
  const response = await fetch(`${session.url}/v1/messages?key=${session.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const seen = await response.text()
  const totals = await session.close()
  expect(seen).toContain('[secret]')
  expect(seen).not.toContain(anthropicKey)
  const kept = JSON.stringify([exchanges, notes, totals])
  expect(exchanges).toHaveLength(1)
  for (const secret of [anthropicKey, session.token, envSecret, encoded.slice(4, 20)]) {
    expect(kept).not.toContain(secret)
  }
  await gateway.close()
  server.close()
})

test('exchanges are recorded in the order of their ends, however long each takes to write', async () => {
  const order: number[] = []
  let writeFirst = (): void => undefined
  const isFirstSlow = new Promise<void>((resolve) => {
    writeFirst = resolve
  })
  await using setting = await openSetting([{ text: 'One.' }, { text: 'Two.' }], {
    session: {
      async record({ ordinal }) {
        if (ordinal === 1) await isFirstSlow
        order.push(ordinal)
      },
    },
  })
  await (await ask(setting, 'chat', false)).text()
  await (await ask(setting, 'chat', false)).text()
  // The second would be written now if the first were not pending.
  setTimeout(writeFirst, 10)
  await setting.session.close()
  expect(order).toEqual([1, 2])
})

test('a secret that a model spreads over several events is not recorded', async () => {
  const secret = 'env-canary-98765'
  const event = (text: string): string =>
    `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}\n\n`
  const server = await parrot(() => ['a "q" ', 'env-ca', 'nary', '-98', '765 b'].map(event), 200)
  const gateway = await openGateway({
    keys: () => undefined,
    providers: { anthropic: { baseUrl: server.url } },
  })
  const exchanges: Exchange[] = []
  const session = await gateway.session({
    step: 's',
    reserve: createLedger().reserve,
    signal: new AbortController().signal,
    record: async (exchange) => void exchanges.push(exchange),
    secrets: [secret],
  })
  const headers = { 'content-type': 'application/json', 'x-api-key': session.token }
  const body = '{"model":"m","max_tokens":5,"stream":true}'
  await (await fetch(`${session.url}/v1/messages`, { method: 'POST', headers, body })).text()
  await session.close()
  const text = exchanges[0]?.answer.body.text ?? ''
  const spelt = [...text.matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, piece]) => piece).join('')
  expect(spelt).toBe(`a \\"q\\" ${'*'.repeat(secret.length)} b`)
  await gateway.close()
  server.close()
})
