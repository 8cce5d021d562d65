/**
 * The process of an agent and the protocol that is spoken with it, by lines on its standard input and
 * output.
 *
 * 1. When it is closed, nothing of the agent is alive.
 * 2. What it sends is limited, and so is what it leaves unread.
 * 3. Questions of the agent that nobody here answers get an error that says so.
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
  /** Why there will be no further word of it. Never, while all is well. */
  readonly broken: Promise<Broken>
  /** The end of what it wrote to its error output, or wrote where messages should be. */
  words(): string
  /** Nothing of it is alive afterwards; resolves with those that would not die. */
  close(politely: boolean): Promise<readonly number[]>
}

/** In words: "it exited with code 1". */
export type Broken = ProcessEnd

export interface ConnectionHandlers {
  askedPermission(request: RequestPermissionRequest): RequestPermissionResponse
  updated(params: unknown): void
  /** It gave a sign of life. */
  heard(): void
}

const lineBytesMax = 32 * 1024 * 1024
const limits: MessageLimits = {
  bytesMax: 256 * 1024 * 1024,
  messagesMax: 1_000_000,
  noiseLinesMax: 1000,
}
/** What an agent that does not read may leave waiting in our memory. */
const unreadBytesMax = 16 * 1024 * 1024
const wordsCharsMax = 4000

/** Rejects when the program cannot be started. */
export async function openAcpConnection(
  start: StartProcess,
  command: ProcessCommand,
  handlers: ConnectionHandlers,
): Promise<AcpConnection> {
  const { client, methods } = await import('@agentclientprotocol/sdk')
  const process = await openProcess(start, command)
  const lines = talkByLines(process, handlers)
  const connection = client({ name: 'loopwright' })
    .onRequest(methods.client.session.requestPermission, ({ params }) =>
      handlers.askedPermission(params),
    )
    .connect(lines.stream)
  let closing: Promise<readonly number[]> | undefined
  return {
    agent: connection.agent,
    broken: lines.broken,
    words: lines.words,
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
  words(): string
}

function talkByLines(
  { stdin, stdout, stderr, ended }: OpenProcess,
  { heard, updated }: ConnectionHandlers,
): Lines {
  let words = ''
  let isBroken = false
  let giveUp: (why: Broken) => void = () => {}
  const broken = new Promise<Broken>((resolve) => {
    giveUp = (why) => {
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
      if (method === 'session/update') updated(params)
    },
  })
  const splitter = createLineSplitter(lineBytesMax, (line) => {
    const why = isBroken ? undefined : messages.received(line)
    if (why !== undefined) giveUp({ how: why })
  })
  stdout.on('data', (chunk: Buffer) => {
    if (isBroken) return
    heard()
    if (!splitter.push(chunk)) giveUp({ how: `it sent a line of over ${lineBytesMax} bytes` })
  })
  stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-wordsCharsMax)
  })
  void ended.then(giveUp)
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      messages.sent(message)
      stdin.write(`${JSON.stringify(message)}\n`)
      if (stdin.writableLength > unreadBytesMax) giveUp({ how: 'it does not read what it is sent' })
    },
  })
  return {
    stream: { readable, writable },
    broken,
    words: () =>
      [words, messages.noise ?? '']
        .map((part) => part.trim())
        .join('\n')
        .trim(),
  }
}
