/** HTTP as bytes: what no client would send, and what a server says to it. */

import { connect } from 'node:net'

export interface RawRequest {
  readonly method: string
  readonly path: string
  /** As they are written; the same name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string
}

export type Where = { readonly host?: string; readonly port: number } | { readonly path: string }

export interface RawAnswer {
  /** 0: the connection was closed without a word, or refused. */
  readonly status: number
  readonly head: string
  /** What came of it with the head; a stream is not waited for. */
  readonly body: string
}

const waitMs = 20_000

/** The first answer. The connection is closed when the answer is whole, or is a stream. */
export function sendRaw(where: Where, request: RawRequest | string): Promise<RawAnswer> {
  const bytes = typeof request === 'string' ? request : toBytes(request)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(where)
    const end = (): void => {
      socket.destroy()
      resolve(parse(text))
    }
    socket.setTimeout(waitMs, end)
    socket.on('error', end)
    socket.on('close', end)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isWhole(text)) end()
    })
    socket.on('connect', () => socket.write(bytes))
  })
}

function toBytes({ method, path, headers, body = '' }: RawRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return `${[`${method} ${path} HTTP/1.1`, ...lines, ...length].join('\r\n')}\r\n\r\n${body}`
}

function isWhole(text: string): boolean {
  const at = text.indexOf('\r\n\r\n')
  if (at === -1) return false
  const head = text.slice(0, at)
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1]
  return length === undefined || text.length - at - 4 >= Number(length) || isHead(head)
}

/** Of what has no body, the length is of the body that it would have. */
const isHead = (head: string): boolean => /^HTTP\/1\.1 (204|304)/.test(head)

function parse(text: string): RawAnswer {
  const at = text.indexOf('\r\n\r\n')
  const head = at === -1 ? text : text.slice(0, at)
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0)
  return { status, head, body: at === -1 ? '' : text.slice(at + 4) }
}
