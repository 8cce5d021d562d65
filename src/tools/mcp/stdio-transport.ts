/**
 * A server as a child process: messages are lines on its standard input and output. The SDK's own
 * transport ends only the process that it started, not that process's children, and does not limit
 * what a server sends.
 *
 * 1. After the transport is closed, or the server ends or is stopped, no process of the server is
 *   alive.
 * 2. `onclose` is called once, after that.
 * 3. A server that can be paused runs only while a call needs it: changes it makes to files at
 *   other times could not be told apart from those of the run.
 */

import { type OpenProcess } from '../../engine/index.ts'
import { createLineSplitter } from '../../system/index.ts'
import { McpFailure } from './mcp-failure.ts'
import { plainText } from './plain-text.ts'
import { createServerMessages, type Message, type ServerMessages } from './server-messages.ts'
import { type ProcessOptions, startServerProcess } from './server-process.ts'
import { limits, type ServerTransport } from './transport.ts'

/** What may wait in memory for a server that does not read. */
const unreadBytesMax = 16 * 1024 * 1024
const stderrCharsMax = 1500

export function createStdioTransport(options: ProcessOptions): ServerTransport {
  let server: OpenProcess | undefined
  let ending: Promise<void> | undefined
  let endReason: string | undefined
  let stderrText = ''

  const end = (reason: string | undefined, politely: boolean): Promise<void> => {
    ending ??= (async () => {
      endReason = reason
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
        `it was stopped because it sent a line of more than ${limits.messageBytesMax} bytes`,
        false,
      )
    })
    stderr.on('data', (chunk: Buffer) => {
      stderrText = (stderrText + chunk.toString('utf8')).slice(-stderrCharsMax)
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
    during: createRunner(() => server),
    close: () => end(undefined, true),
    trouble() {
      const stderrShown = plainText(stderrText, stderrCharsMax)
      const parts = [
        endReason,
        messages.noise === undefined ? undefined : `it wrote this to its output: ${messages.noise}`,
        stderrShown === '' ? undefined : `its stderr: ${stderrShown}`,
      ].filter((part) => part !== undefined)
      return parts.length === 0 ? undefined : parts.join('; ')
    },
  }
  return transport
}

/** The first call in progress resumes the server, the last one pauses it. */
function createRunner(
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

/** The SDK validates it again with its own schemas. */
const toSdk = (message: Message): Parameters<NonNullable<ServerTransport['onmessage']>>[0] =>
  message as never
