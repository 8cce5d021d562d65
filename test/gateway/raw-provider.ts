// A provider at byte level: the test decides what is written to the connection, HTTP or not.

import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface RawProvider extends AsyncDisposable {
  readonly url: string
  /** Requests as they came, headers and body. */
  readonly requests: readonly string[]
}

/** Called for each complete request, with its number on its connection and overall, from 1. */
export type RawReply = (
  socket: Socket,
  at: { readonly inAll: number; readonly onConnection: number; readonly request: string },
) => void

export async function startRawProvider(reply: RawReply): Promise<RawProvider> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    let kept = ''
    let onConnection = 0
    socket.on('data', (chunk: Buffer) => {
      kept += chunk.toString('latin1')
      for (let end = requestEnd(kept); end !== undefined; end = requestEnd(kept)) {
        const request = kept.slice(0, end)
        kept = kept.slice(end)
        reply(socket, { inAll: requests.push(request), onConnection: ++onConnection, request })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function requestEnd(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? '0'
  const end = head + 4 + Number(length)
  return text.length < end ? undefined : end
}

/** A complete response with its length. */
export function answerWith(
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = '200 OK',
): Buffer {
  const bytes = Buffer.from(body)
  const all = { 'content-type': 'application/json', 'content-length': bytes.length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`), bytes])
}

export const wholeAnswer: string = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Grüße 👋' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 20, output_tokens: 7 },
})

/** The same as a stream. */
export const wholeStream: string = [
  { type: 'message_start', message: { usage: { input_tokens: 20, output_tokens: 1 } } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße 👋' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')
