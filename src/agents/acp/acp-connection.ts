/**
 * The process of an agent and the protocol over its standard input and output, line by line.
 *
 * 1. After it is closed, no process of the agent is alive.
 * 2. What it sends is limited, and so is what it leaves unread.
 * 3. Requests by the agent that are not supported get an error that says so.
 */

import type {
  AnyMessage,
  ClientConnection,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import {
  type OpenProcess,
  openProcess,
  type ProcessCommand,
  type ProcessEnd,
  type StartProcess,
} from '../../engine/index.ts'
import { createLineSplitter } from '../../system/index.ts'
import { createAgentMessages, type MessageLimits } from './agent-messages.ts'

export interface AcpConnection {
  readonly agent: ClientConnection['agent']
  /** Resolves with the reason if the connection breaks; pending otherwise. */
  readonly broken: Promise<Broken>
  /** The end of its error output, and of output that is not protocol messages. */
  stderrText(): string
  /** No process is alive afterwards; resolves with those that could not be killed. */
  close(politely: boolean): Promise<readonly number[]>
}

/** Why: "it exited with code 1". */
export type Broken = ProcessEnd

export interface ConnectionHandlers {
  onPermissionRequest(request: RequestPermissionRequest): RequestPermissionResponse
  onUpdate(params: unknown): void
  /** The agent sent data. */
  onData(): void
}

const lineBytesMax = 32 * 1024 * 1024
const limits: MessageLimits = {
  bytesMax: 256 * 1024 * 1024,
  messagesMax: 1_000_000,
  noiseLinesMax: 1000,
}
/** What may wait in memory for an agent that does not read. */
const unreadBytesMax = 16 * 1024 * 1024
const stderrCharsMax = 4000

/** Rejects if the program cannot be started. */
export async function openAcpConnection(
  start: StartProcess,
  command: ProcessCommand,
  handlers: ConnectionHandlers,
): Promise<AcpConnection> {
  const { client, methods } = await import('@agentclientprotocol/sdk')
  const process = await openProcess(start, command)
  const lines = openLines(process, handlers)
  const connection = client({ name: 'loopwright' })
    .onRequest(methods.client.session.requestPermission, ({ params }) =>
      handlers.onPermissionRequest(params),
    )
    .connect(lines.stream)
  let closing: Promise<readonly number[]> | undefined
  return {
    agent: connection.agent,
    broken: lines.broken,
    stderrText: lines.stderrText,
    close(politely) {
      closing ??= (async () => {
        const alive = await process.stop(politely)
        connection.close()
        return alive
      })()
      return closing
    },
  }
}

interface Lines {
  readonly stream: {
    readonly readable: ReadableStream<AnyMessage>
    readonly writable: WritableStream<AnyMessage>
  }
  readonly broken: Promise<Broken>
  stderrText(): string
}

function openLines(
  { stdin, stdout, stderr, ended }: OpenProcess,
  { onData, onUpdate }: ConnectionHandlers,
): Lines {
  let stderrText = ''
  let isBroken = false
  let reportBroken: (why: Broken) => void = () => {}
  const broken = new Promise<Broken>((resolve) => {
    reportBroken = (why) => {
      isBroken = true
      resolve(why)
    }
  })
  let incoming: ReadableStreamDefaultController<AnyMessage> | undefined
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      incoming = controller
    },
  })
  const messages = createAgentMessages(limits, {
    onMessage: (message) => incoming?.enqueue(message),
    onNotification: (method, params) => {
      if (method === 'session/update') onUpdate(params)
    },
  })
  const splitter = createLineSplitter(lineBytesMax, (line) => {
    const why = isBroken ? undefined : messages.received(line)
    if (why !== undefined) reportBroken({ how: why })
  })
  stdout.on('data', (chunk: Buffer) => {
    if (isBroken) return
    onData()
    if (!splitter.push(chunk))
      reportBroken({ how: `it sent a line of more than ${lineBytesMax} bytes` })
  })
  stderr.on('data', (chunk: Buffer) => {
    stderrText = (stderrText + chunk.toString('utf8')).slice(-stderrCharsMax)
  })
  void ended.then(reportBroken)
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      messages.sent(message)
      stdin.write(`${JSON.stringify(message)}\n`)
      if (stdin.writableLength > unreadBytesMax)
        reportBroken({ how: 'it does not read what it is sent' })
    },
  })
  return {
    stream: { readable, writable },
    broken,
    stderrText: () =>
      [stderrText, messages.noise ?? '']
        .map((part) => part.trim())
        .join('\n')
        .trim(),
  }
}
