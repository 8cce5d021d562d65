/** One thread of the gateway's measurements: the scripted provider, or the gateway before it. */

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { openGateway } from 'loopwright/gateway'

export interface WorkerInput {
  /** Where the provider is, for the gateway. */
  readonly provider?: string
}

/** What a request to the scripted provider asks for, in its `plan`. */
export interface StreamPlan {
  readonly events: number
  readonly bytesEach: number
  readonly everyMs: number
}

export interface WorkerReady {
  readonly url: string
  readonly token: string
}

const { provider } = workerData as WorkerInput
const ready = provider === undefined ? await startProvider() : await startGateway(provider)
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
parentPort?.postMessage(ready)

async function startGateway(baseUrl: string): Promise<WorkerReady> {
  const gateway = await openGateway({
    keys: () => 'sk-a-key-of-the-usual-length-0123456789',
    providers: { anthropic: { baseUrl, priceId: 'anthropic' } },
  })
  const session = await gateway.session({
    step: 'bench',
    signal: new AbortController().signal,
    reserve: async () => ({ settle: async () => undefined }),
    record: async () => undefined,
  })
  // Asked to end, it leaves no sockets behind.
  parentPort?.once('message', () => void gateway.close().then(() => process.exit()))
  return { url: session.url, token: session.token }
}

async function startProvider(): Promise<WorkerReady> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const { plan } = JSON.parse(Buffer.concat(chunks).toString()) as { plan: StreamPlan }
      void answer(response, plan)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  parentPort?.once('message', () => process.exit())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'none' }
}

const usage = { input_tokens: 100, output_tokens: 20 }

async function answer(response: ServerResponse, plan: StreamPlan): Promise<void> {
  const { events, bytesEach, everyMs } = plan
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(event({ type: 'message_start', message: { usage } }))
  const text = 'x'.repeat(bytesEach)
  // A part of the events at once, as they come out of a socket that is read now and then.
  const batch = everyMs > 0 ? 1 : Math.max(1, Math.floor(65_536 / (bytesEach + 120)))
  for (let sent = 0; sent < events && !response.destroyed; sent += batch) {
    const delta = { type: 'text_delta', text, at: String(process.hrtime.bigint()) }
    const one = event({ type: 'content_block_delta', index: 0, delta })
    const isTaken = response.write(one.repeat(Math.min(batch, events - sent)))
    if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs))
    else if (!isTaken) await new Promise((resolve) => response.once('drain', resolve))
  }
  response.write(event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }))
  response.end(event({ type: 'message_stop' }))
}

const event = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
