/** Connects to a daemon from Node, by its address or its socket. */

import type { Client } from '../client.ts'
import { createClient } from '../create-client.ts'
import { type Endpoint, parseAddress } from './endpoint.ts'
import { createHttpTransport } from './http-transport.ts'

/** How a daemon is reached: its address or its socket, and a token. */
export type Connection = { readonly token: string | (() => string) } & (
  | { readonly address: string }
  | { readonly socket: string }
)

/** Creates a client. It connects with the first request. */
export function connect(connection: Connection): Client {
  const endpoint: Endpoint =
    'socket' in connection
      ? { type: 'socket', path: connection.socket }
      : parseAddress(connection.address)
  const { token } = connection
  return createClient(
    createHttpTransport(endpoint, typeof token === 'string' ? () => token : token),
  )
}
