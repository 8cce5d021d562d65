// Two servers on loopback: the operator's registry, which answers only with the operator's
// credentials, and the attacker's, which must never get a request.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RegistryAnswer } from './attack.ts'

export interface Asked {
  readonly url: string
  /** The whole request, without its body. */
  readonly text: string
}

export interface Servers {
  readonly registry: string
  readonly evil: string
  answer(answers: Readonly<Record<string, RegistryAnswer>>): void
  seenByRegistry(): readonly Asked[]
  seenByEvil(): readonly Asked[]
  isSecret(text: string): boolean
  close(): Promise<void>
}

export async function openServers(canary: string): Promise<Servers> {
  const basic = Buffer.from(`operator:${canary}`).toString('base64')
  const isSecret = (text: string): boolean =>
    [canary, basic, Buffer.from(canary).toString('base64')].some((one) => text.includes(one))
  const atRegistry: Asked[] = []
  const atEvil: Asked[] = []
  let answers: Readonly<Record<string, RegistryAnswer>> = {}
  const registry = createServer((request, response) => {
    atRegistry.push(toAsked(request))
    const {
      status = 200,
      headers = {},
      body,
    } = isSecret(request.headers.authorization ?? '')
      ? (answers[decodeURIComponent(request.url ?? '')] ?? { status: 404, body: '{}' })
      : { status: 401, body: '{}' }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  const evil = createServer((request, response) => {
    atEvil.push(toAsked(request))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const urls = await Promise.all([registry, evil].map(listen))
  return {
    registry: urls[0] ?? '',
    evil: urls[1] ?? '',
    answer(more) {
      answers = more
    },
    seenByRegistry: () => atRegistry,
    seenByEvil: () => atEvil,
    isSecret,
    async close() {
      for (const server of [registry, evil]) {
        server.closeAllConnections()
        await new Promise((done) => server.close(done))
      }
    },
  }
}

const toAsked = ({ method = '', url = '', rawHeaders }: IncomingMessage): Asked => ({
  url,
  text: `${method} ${url}\n${rawHeaders.join('\n')}`,
})

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
