/** The client of this tab, for all parts of the page. */

import { createContext, useContext } from 'react'
import type { Client, TabSession } from '../../client/browser.ts'

export interface Connection {
  readonly client: Client
  readonly session: TabSession
  /** False with a token that can only read: the page then offers nothing that changes something. */
  readonly canDecide: boolean
  /** Called when the daemon no longer accepts the token. */
  end(): void
}

export const ConnectionContext = createContext<Connection | undefined>(undefined)

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext)
  if (connection === undefined) throw new Error('This part of the page needs a connection.')
  return connection
}
