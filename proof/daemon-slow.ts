/** Clients that hold on to the daemon with as little as they can: each is sent away in time. */

import { connect } from 'node:net'
import { openStage } from './daemon-stage.ts'

export interface Slow {
  /** Until the last of them was sent away. */
  readonly longestMs: number
  readonly problems: readonly string[]
}

const patienceMs = 60_000
const dripMs = 1000

/** What each sends at once, and then one by one. */
const clients: readonly (readonly [name: string, begin: string, drip: string])[] = [
  ['nothing at all', '', ''],
  ['half a line', 'GET /health HT', ''],
  ['headers, one letter at a time', 'GET /health HTTP/1.1\r\nX: ', 'x'],
  ['many headers', 'GET /health HTTP/1.1\r\n', 'X: y\r\n'],
  ['a body, one letter at a time', 'body', ' '],
]

export async function findSlow(): Promise<Slow> {
  const stage = await openStage()
  const { port, token, address } = stage.daemon
  const body =
    `POST /loops/preview HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{'
  try {
    const times = await Promise.all(
      clients.map(async ([name, begin, drip]) => {
        const ms = await holdOn(port, begin === 'body' ? body : begin, drip)
        return { name, ms }
      }),
    )
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await fetch(`${address}/health`, { headers })
    return {
      longestMs: Math.max(...times.map(({ ms }) => ms)),
      problems: [
        ...times.filter(({ ms }) => ms >= patienceMs).map(({ name }) => `${name}: not sent away`),
        ...(status === 200 ? [] : [`afterwards it answers with ${status}`]),
      ],
    }
  } finally {
    await stage.close()
  }
}

/** How long it is let. */
function holdOn(port: number, begin: string, drip: string): Promise<number> {
  const startMs = performance.now()
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    const dripping = setInterval(() => drip !== '' && socket.write(drip), dripMs)
    const end = (): void => {
      clearInterval(dripping)
      clearTimeout(patience)
      socket.destroy()
      resolve(performance.now() - startMs)
    }
    const patience = setTimeout(end, patienceMs)
    socket.on('connect', () => socket.write(begin))
    socket.on('error', end)
    socket.on('close', end)
    socket.resume()
  })
}
