/**
 * A server over the whole time that it is used: sessions end, and the next call opens another.
 *
 * 1. A call is sent at most once. What a server did before it died is unknown, so a call that was
 *    sent is never repeated here.
 * 2. A server that ends again and again is given up: after two new sessions in a row without an
 *    answer every call fails with `server-gone`, at once.
 */

import type { z } from 'zod'
import { McpFailure, toMcpFailure } from './mcp-failure.ts'
import type { AskLimits, Question, Session } from './mcp-session.ts'

export interface McpConnection {
  ask<T>(question: Question, schema: z.ZodType<T>, limits: AskLimits): Promise<T>
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

  const reopened = async (old: Session | undefined): Promise<Session> => {
    await old?.close()
    return open(closing.signal)
  }
  /** Calls that come side by side share a new session. */
  const live = async (): Promise<Session> => {
    const tried = current
    const found = await tried.catch(() => undefined)
    closing.signal.throwIfAborted()
    if (found?.isOpen === true) return found
    if (current !== tried) return live()
    if (reopenings >= reopeningsMax) {
      givenUp ??= new McpFailure('server-gone', `The server is gone. Use other tools.${last}`)
      throw givenUp
    }
    reopenings += 1
    current = reopened(found)
    return current
  }

  return {
    async ask(question, schema, limits) {
      if (closing.signal.aborted) throw closed()
      let session: Session | undefined
      try {
        session = await orAborted(live(), limits.signal)
        const answer = await session.ask(question, schema, limits)
        reopenings = 0
        return answer
      } catch (error) {
        if (closing.signal.aborted) throw closed()
        const failure = toMcpFailure(error, limits.signal)
        if (session !== undefined && isAnswer(failure)) reopenings = 0
        else last = ` What happened last: ${failure.message}`
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

/** A server that refuses, fails or talks nonsense is alive. */
const isAnswer = ({ code }: McpFailure): boolean =>
  code === 'tool-failed' || code === 'bad-arguments' || code === 'bad-answer'

const closed = (): McpFailure =>
  new McpFailure('server-gone', 'The connection was closed. The run has ended.')

/** A caller does not wait for a session that others need too. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new McpFailure('aborted', 'The call was cancelled.'))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
