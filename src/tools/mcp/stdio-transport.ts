/**
 * A server as a child process: messages are lines on its standard input and output. The SDK has such
 * a transport, but that one ends only the process it started and not what this started in turn, and
 * has no limit for what a server sends.
 *
 * 1. When it is closed, or the server ends or is ended, nothing of the server is alive.
 * 2. `onclose` is called once, after that.
 * 3. While no work is under way that the server is needed for, nothing of it runs, if it can be paused:
 *    what it would do meanwhile to files, nobody could tell from what the run does.
 */

import { type OpenProcess } from '../../engine/index.ts'
import { createLineSplitter } from '../../system/index.ts'
import { McpFailure } from './mcp-failure.ts'
import { plainText } from './plain-text.ts'
import { createServerMessages, type Message, type ServerMessages } from './server-messages.ts'
import { type ProcessOptions, startServerProcess } from './server-process.ts'
import { limits, type ServerTransport } from './transport.ts'

/** What a server that does not read may leave waiting in our memory. */
const unreadBytesMax = 16 * 1024 * 1024
const wordsCharsMax = 1500

export function createStdioTransport(options: ProcessOptions): ServerTransport {
  let server: OpenProcess | undefined
  let ending: Promise<void> | undefined
  let why: string | undefined
  let words = ''

  const end = (reason: string | undefined, politely: boolean): Promise<void> => {
    ending ??= (async () => {
      why = reason
      await server?.stop(politely)
      transport.onclose?.()
    })()
    return ending
  }
  const messages: ServerMessages = createServerMessages(
    { bytesMax: limits.betweenBytesMax, noiseLinesMax: limits.noiseLinesMax },
    (message) => transport.onmessage?.(toSdk(message)),
  )
  const listen = ({ ended, stderr, stdout }: OpenProcess): void => {
    const lines = createLineSplitter(limits.messageBytesMax, (line) => {
      const reason = ending === undefined ? messages.received(line) : undefined
      if (reason !== undefined) void end(reason, false)
    })
    stdout.on('data', (chunk: Buffer) => {
      if (ending !== undefined || lines.push(chunk)) return
      void end(
        `it was stopped because it sent a line of over ${limits.messageBytesMax} bytes`,
        false,
      )
    })
    stderr.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString('utf8')).slice(-wordsCharsMax)
    })
    void ended.then(({ how }) => end(how, false))
  }

  const transport: ServerTransport = {
    async start() {
      server = await startServerProcess(options)
      if (ending === undefined) listen(server)
      // Closed while it started.
      else await server.stop(false)
    },
    async send(message) {
      if (server === undefined || ending !== undefined) {
        throw new McpFailure('server-gone', 'The connection ended.')
      }
      messages.sent(message)
      server.stdin.write(`${JSON.stringify(message)}\n`)
      if (server.stdin.writableLength > unreadBytesMax) {
        void end('it was stopped because it does not read what it is sent', false)
      }
    },
    during: runningOnlyFor(() => server),
    close: () => end(undefined, true),
    trouble() {
      const said = plainText(words, wordsCharsMax)
      const parts = [
        why,
        messages.noise === undefined ? undefined : `it wrote this to its output: ${messages.noise}`,
        said === '' ? undefined : `it said: ${said}`,
      ].filter((part) => part !== undefined)
      return parts.length === 0 ? undefined : parts.join('; ')
    },
  }
  return transport
}

/** The first of what is under way lets the server run, the last has it paused. */
function runningOnlyFor(
  server: () => OpenProcess | undefined,
): NonNullable<ServerTransport['during']> {
  let underWay = 0
  return async (work) => {
    underWay += 1
    if (underWay === 1) server()?.resume()
    try {
      return await work()
    } finally {
      underWay -= 1
      if (underWay === 0) await server()?.pause()
    }
  }
}

/** The SDK looks at it again, with its own schemas. */
const toSdk = (message: Message): Parameters<NonNullable<ServerTransport['onmessage']>>[0] =>
  message as never
