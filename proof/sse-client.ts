/** A client of event streams that can be slow, and can be cut off. Keeps the ids of what it was told. */

import { type IncomingMessage, request } from 'node:http'

export interface SseTarget {
  readonly port: number
  readonly token: string
  readonly path: string
}

export interface SseClient {
  /** The ids in the order in which they came. */
  readonly ids: readonly number[]
  /** Called with each message that has data. */
  onMessage?: (data: string) => void
  pause(): void
  resume(): void
  drop(): void
  /** Resolves with the first piece, or the end. */
  readonly opened: Promise<void>
  /** Resolves with the status when the stream has ended, in whatever way. */
  readonly ended: Promise<number>
}

export function openSse(target: SseTarget, lastId: number | undefined): SseClient {
  const ids: number[] = []
  let response: IncomingMessage | undefined
  let isPaused = false
  let text = ''
  const from = lastId === undefined ? {} : { 'last-event-id': `${lastId}` }
  const asked = request({
    host: '127.0.0.1',
    port: target.port,
    path: target.path,
    agent: false,
    headers: {
      authorization: `Bearer ${target.token}`,
      accept: 'text/event-stream',
      ...from,
    },
  })
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const client: { onMessage?: (data: string) => void } & SseClient = {
    ids,
    pause() {
      isPaused = true
      response?.pause()
    },
    resume() {
      isPaused = false
      response?.resume()
    },
    drop: () => void asked.destroy(),
    opened,
    ended: new Promise((resolve) => {
      asked.on('error', () => {
        open()
        resolve(response?.statusCode ?? 0)
      })
      asked.on('response', (given) => {
        response = given
        given.setEncoding('utf8')
        given.on('data', (chunk: string) => {
          open()
          const messages = `${text}${chunk}`.split('\n\n')
          text = messages.pop() ?? ''
          for (const message of messages) {
            const id = /^id: (\d+)$/m.exec(message)?.[1]
            if (id === undefined) continue
            ids.push(Number(id))
            client.onMessage?.(/^data: (.*)$/m.exec(message)?.[1] ?? '')
          }
        })
        const done = (): void => {
          open()
          resolve(given.statusCode ?? 0)
        }
        given.on('error', done)
        given.on('close', done)
        if (isPaused) given.pause()
      })
    }),
  }
  asked.end()
  return client
}

/** What is missing, doubled or out of order in a list that is to go from 1 to the last. */
export function sequenceProblems(ids: readonly number[], last: number): readonly string[] {
  const problems: string[] = []
  for (const [index, id] of ids.entries()) {
    if (id !== index + 1) {
      problems.push(`after ${ids[index - 1] ?? 0} came ${id}`)
      break
    }
  }
  if (ids.length !== last) problems.push(`${ids.length} of ${last}`)
  return problems
}
