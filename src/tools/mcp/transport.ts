/** What the two ways to a server have in common: the SDK's transport, and why it ended. */

import type { Transport } from '@modelcontextprotocol/client'

export interface ServerTransport extends Transport {
  /** Why it ended by itself, and what the server said last. Undefined while nothing is wrong. */
  trouble(): string | undefined
  /**
   * Does what the server has to run for. Before it and after it the server is paused, unless something else
   * is under way. Absent: the server is no process of ours.
   */
  during?<T>(work: () => Promise<T>): Promise<T>
}

/** What a server may send. */
export const limits: {
  /** One message, and one response by HTTP. */
  readonly messageBytesMax: number
  /** All that comes between two answers. */
  readonly betweenBytesMax: number
  /** Lines that are no messages, between two answers. */
  readonly noiseLinesMax: number
} = {
  messageBytesMax: 10 * 1024 * 1024,
  betweenBytesMax: 64 * 1024 * 1024,
  noiseLinesMax: 1000,
}
