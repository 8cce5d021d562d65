/** Sends a request of the endpoint to a registry: directly, or through the operator's HTTP proxy. */

import { type IncomingMessage, request as plain, type RequestOptions } from 'node:http'
import { request as secure } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { defined } from '../../../loop/index.ts'
import { type FindProxy, portOf } from './operator-proxy.ts'

export interface Tls {
  readonly ca?: readonly string[]
  readonly rejectUnauthorized: boolean
}

export interface UpstreamOptions {
  readonly tls: Tls
  readonly proxy: FindProxy
  /** Default: the DNS lookup of the machine. */
  readonly lookup?: LookupFunction
}

export interface UpstreamRequest {
  readonly method: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

const inactivityMs = 60_000

export async function requestUpstream(
  url: URL,
  { method, headers }: UpstreamRequest,
  options: UpstreamOptions,
): Promise<IncomingMessage> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`cannot use the protocol ${url.protocol} for a registry`)
  }
  const proxy = options.proxy(url)
  const common = { method, headers, timeout: inactivityMs }
  if (proxy === undefined) {
    const { lookup } = options
    const direct = { ...common, ...defined({ lookup }) }
    return send(url, { ...direct, ...(url.protocol === 'https:' ? toTlsOptions(options.tls) : {}) })
  }
  if (url.protocol === 'http:') {
    // A proxy expects the absolute URL.
    return send(proxy, {
      ...common,
      path: url.href,
      headers: { ...headers, host: url.host, ...authorization(proxy) },
    })
  }
  const socket = await openTunnel(url, proxy)
  const servername = isIP(url.hostname) === 0 ? { servername: url.hostname } : {}
  return send(url, {
    ...common,
    createConnection: () => connectTls({ socket, ...servername, ...toTlsOptions(options.tls) }),
  })
}

const toTlsOptions = ({ ca, rejectUnauthorized }: Tls) => ({
  rejectUnauthorized,
  ...(ca === undefined ? {} : { ca: [...ca] }),
})

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

function send(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? secure : plain
    const sent = open(withoutCredentials(url), options)
    sent.on('timeout', () => sent.destroy(new Error(`no data for ${inactivityMs / 1000} s`)))
    sent.on('response', resolve).on('error', reject)
    sent.end()
  })
}

/** Credentials are sent in a header instead. */
function withoutCredentials(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  return bare
}

/** Limits the wait for a proxy that never responds (E9). */
function openTunnel(url: URL, proxy: URL): Promise<Socket> {
  const target = `${url.hostname}:${portOf(url)}`
  return new Promise((resolve, reject) => {
    const open = proxy.protocol === 'https:' ? secure : plain
    const sent = open(withoutCredentials(proxy), {
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...authorization(proxy) },
      timeout: inactivityMs,
    })
    const fail = (reason: string): void =>
      reject(new Error(`the proxy ${proxy.host} did not connect to ${target}: ${reason}`))
    sent.on('timeout', () => sent.destroy(new Error(`no data for ${inactivityMs / 1000} s`)))
    sent.on('error', (error) => fail(error.message))
    sent.on('response', ({ statusCode }) => fail(`it answered ${statusCode}`))
    sent.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      fail(`it answered ${statusCode}`)
    })
    sent.end()
  })
}
