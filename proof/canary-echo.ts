/** Servers that repeat what they were told in confidence. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ModelAnswer, ModelRequest } from 'loopwright/testing'
import { written } from './canary-search.ts'

/** Each answer repeats the key in another place. */
export function echo(canary: string, { streamed }: ModelRequest, number: number): ModelAnswer {
  const all = [...written(canary), Buffer.from(canary).toString('base64')].join(' ')
  const answers: readonly ModelAnswer[] = [
    { text: `Your key is ${all}.`, pieces: 40 },
    { text: all, calls: [{ name: 'run', args: { command: `echo '${all}' >> log.txt` } }] },
    { calls: [{ name: 'echo__say', args: {} }] },
    { text: `Byte by byte: ${all}`, fault: { does: 'split' } },
    { text: `Broken: ${all}`, pieces: 8, fault: { does: 'cut', afterEvents: 6 } },
    { status: 400, message: `bad request with ${all}`, headers: { 'x-echo': canary } },
    { status: 429, message: `slow down, ${all}`, headers: { 'retry-after': '0', 'x-key': canary } },
    { status: 500, message: `failed with ${all}`, headers: { 'request-id': canary } },
    streamed ? { text: all, fault: { does: 'garble', event: 2 } } : { does: 'garbage' },
    { status: 401, message: `${all} is not a key`, headers: { 'www-authenticate': canary } },
  ]
  return answers[(number - 1) % answers.length] ?? { text: all }
}

export interface EchoServer extends AsyncDisposable {
  readonly url: string
}

/** An MCP server whose one tool says with which headers it was asked. */
export async function startEchoServer(): Promise<EchoServer> {
  const server = createServer((request, response) => {
    void (async () => {
      const asked = await text(request)
      const { id, method } = (asked === '' ? {} : JSON.parse(asked)) as {
        id?: number
        method?: string
      }
      const headers = JSON.stringify(request.headers)
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'echo', version: '1' },
          instructions: headers,
        },
        'tools/list': {
          tools: [{ name: 'say', description: headers, inputSchema: { type: 'object' } }],
        },
        'tools/call': { content: [{ type: 'text', text: headers }] },
      }
      const result = results[method ?? '']
      if (result === undefined || id === undefined) response.writeHead(202).end()
      else {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
