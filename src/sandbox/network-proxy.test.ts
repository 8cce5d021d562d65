import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type NetworkProxy, type NetworkProxyOptions, openNetworkProxy } from './network-proxy.ts'

const publicAddress = '93.184.216.34'

/** A local server that stands for an internet host: it echoes its input in capitals. */
async function openHost(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', (data) => socket.write(data.toString().toUpperCase()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

let reached: [string, number][]
beforeEach(() => {
  reached = []
})

async function open(more: Partial<NetworkProxyOptions> = {}): Promise<NetworkProxy> {
  const port = await openHost()
  const proxy = await openNetworkProxy({
    allow: ['registry.npmjs.org:443', '*.example.com:8443'],
    resolve: async () => [publicAddress],
    connect: (address, requestedPort) => {
      reached.push([address, requestedPort])
      return connect(port, '127.0.0.1')
    },
    ...more,
  })
  onTestFinished(() => proxy.close())
  return proxy
}

/** Sends a request and reads the first part of the answer. */
async function ask(proxy: NetworkProxy, text: string): Promise<{ answer: string; socket: Socket }> {
  const socket = connect(proxy.socket)
  socket.on('error', () => {})
  socket.write(text)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return { answer: chunk.toString(), socket }
}

const connectTo = (target: string): string =>
  `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`

describe('an allowed host', () => {
  test('is reached by its address, with data in both directions', async () => {
    const requests: unknown[] = []
    const proxy = await open({ onRequest: (request) => void requests.push(request) })
    const { answer, socket } = await ask(proxy, connectTo('registry.npmjs.org:443'))
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    socket.write('hello')
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(chunk.toString()).toBe('HELLO')
    expect(reached).toEqual([[publicAddress, 443]])
    expect(requests).toEqual([{ target: 'registry.npmjs.org:443' }])
    socket.destroy()
  })

  test.each(['REGISTRY.npmjs.org:443', 'registry.npmjs.org.:443', 'a.b.example.com:8443'])(
    'may be written as %s',
    async (target) => {
      const { answer, socket } = await ask(await open(), connectTo(target))
      expect(answer).toMatch(/ 200 /)
      socket.destroy()
    },
  )
})

describe('the proxy refuses', () => {
  test.each([
    'registry.npmjs.org:80',
    'registry.npmjs.org:22',
    'evil.com:443',
    'registry.npmjs.org.evil.com:443',
    'notregistry.npmjs.org:443',
    'example.com:8443',
    'evilexample.com:8443',
    '127.0.0.1:443',
    '[::1]:443',
    '2130706433:443',
    '0x7f000001:443',
    '127.1:443',
    'localhost:443',
    'registry.npmjs.org@evil.com:443',
    'registry.npmjs.org%00.evil.com:443',
  ])('%s', async (target) => {
    const { answer } = await ask(await open(), connectTo(target))
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /)
    expect(reached).toEqual([])
  })

  test.each([
    ['this machine', ['127.0.0.1']],
    ['the local network', ['10.0.0.7']],
    ['the metadata of a cloud machine', ['169.254.169.254']],
    ['one of these among others', [publicAddress, '::ffff:127.0.0.1']],
    ['nothing', []],
  ])('a name that resolves to %s', async (_target, addresses) => {
    const proxy = await open({ resolve: async () => addresses })
    const { answer } = await ask(proxy, connectTo('registry.npmjs.org:443'))
    expect(answer).toMatch(/ 403 /)
    expect(reached).toEqual([])
  })

  test('a name that cannot be resolved', async () => {
    const proxy = await open({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    expect((await ask(proxy, connectTo('registry.npmjs.org:443'))).answer).toMatch(/ 403 /)
  })

  test('any method except CONNECT', async () => {
    const request = 'GET http://registry.npmjs.org/ HTTP/1.1\r\nhost: registry.npmjs.org\r\n\r\n'
    expect((await ask(await open(), request)).answer).toMatch(/ 405 /)
    expect(reached).toEqual([])
  })

  test('a request head that does not end', async () => {
    const { answer } = await ask(await open(), `CONNECT ${'a'.repeat(20_000)}`)
    expect(answer).toMatch(/ 4\d\d /)
  })
})

test('an unreachable host is reported', async () => {
  const proxy = await open({ connect: () => connect({ path: '/nonexistent/host.sock' }) })
  expect((await ask(proxy, connectTo('registry.npmjs.org:443'))).answer).toMatch(/ 502 /)
})

test('an allow list with an address or an invalid name is rejected', async () => {
  for (const entry of ['10.0.0.1:443', 'https://registry.npmjs.org', '', 'a b:1']) {
    await expect(openNetworkProxy({ allow: [entry] })).rejects.toMatchObject({
      code: 'bad-request',
    })
  }
})

test('the socket is private, and closing removes it and all open connections', async () => {
  const proxy = await open()
  expect(statSync(proxy.socket).mode & 0o777).toBe(0o600)
  const { socket } = await ask(proxy, connectTo('registry.npmjs.org:443'))
  const closed = once(socket, 'close')
  await proxy.close()
  await closed
  expect(existsSync(dirname(proxy.socket))).toBe(false)
})

test('many lookups do not occupy the whole thread pool', async () => {
  let max = 0
  let current = 0
  const lookups: string[] = []
  const proxy = await open({
    resolve: async (name) => {
      lookups.push(name)
      current++
      max = Math.max(max, current)
      await new Promise((resolve) => setTimeout(resolve, 1))
      current--
      return [publicAddress]
    },
  })
  const names = Array.from({ length: 40 }, (_, index) => `n${index % 20}.example.com:8443`)
  const answers = await Promise.all(names.map((name) => ask(proxy, connectTo(name))))
  for (const { socket } of answers) socket.destroy()
  expect(answers.filter(({ answer }) => answer.startsWith('HTTP/1.1 200 '))).toHaveLength(40)
  expect(max).toBe(2)
  expect(new Set(lookups).size).toBe(20)
})
