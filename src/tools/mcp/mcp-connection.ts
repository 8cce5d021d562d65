/**
 * A server over the whole time of its use: sessions end, and the next call opens another.
 *
 * 1. A call is sent at most once. What a server did before it died is unknown, so a call that was
 *   sent is never repeated here.
 * 2. A server that keeps ending is abandoned: after two consecutive new sessions without an
 *   answer, every call fails at once with `server-gone`.
 */

import type { z } from 'zod'
import { McpFailure, toMcpFailure } from './mcp-failure.ts'
import type { AskLimits, McpRequest, Session } from './mcp-session.ts'

export interface McpConnection {
  ask<T>(request: McpRequest, schema: z.ZodType<T>, limits: AskLimits): Promise<T>
  /** Never rejects. */
  close(): Promise<void>
}

const reopeningsMax = 2

export function createMcpConnection(
  first: Session,
  open: (signal: AbortSignal) => Promise<Session>,
): McpConnection {
  const closing = new AbortController()
  let current: Promise<Session> = Promise.resolve(first)
  let reopenings = 0
  let last = ''
  let givenUp: McpFailure | undefined

  const reopen = async (old: Session | undefined): Promise<Session> => {
    await old?.close()
    return open(closing.signal)
  }
  /** Concurrent calls share a new session. */
  const findOpenSession = async (): Promise<Session> => {
    const attempt = current
    const found = await attempt.catch(() => undefined)
    closing.signal.throwIfAborted()
    if (found?.isOpen === true) return found
    if (current !== attempt) return findOpenSession()
    if (reopenings >= reopeningsMax) {
      givenUp ??= new McpFailure('server-gone', `The server is gone. Use other tools.${last}`)
      throw givenUp
    }
    reopenings += 1
    current = reopen(found)
    return current
  }

  return {
    async ask(request, schema, limits) {
      if (closing.signal.aborted) throw closed()
      let session: Session | undefined
      try {
        session = await raceAbort(findOpenSession(), limits.signal)
        const answer = await session.ask(request, schema, limits)
        reopenings = 0
        return answer
      } catch (error) {
        if (closing.signal.aborted) throw closed()
        const failure = toMcpFailure(error, limits.signal)
        if (session !== undefined && isAnswer(failure)) reopenings = 0
        else last = ` Last failure: ${failure.message}`
        throw failure
      }
    },
    async close() {
      closing.abort()
      const found = await current.catch(() => undefined)
      await found?.close()
    },
  }
}

/** A server that refuses, fails or sends invalid messages is alive. */
const isAnswer = ({ code }: McpFailure): boolean =>
  code === 'tool-failed' || code === 'bad-arguments' || code === 'bad-answer'

const closed = (): McpFailure =>
  new McpFailure('server-gone', 'The connection was closed. The run has ended.')

/** A caller does not wait for a session that others also need. */
function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new McpFailure('aborted', 'The call was cancelled.'))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
