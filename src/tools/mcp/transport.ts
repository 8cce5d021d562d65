/** What the two transports have in common: the SDK's interface, and why the connection ended. */

import type { Transport } from '@modelcontextprotocol/client'

export interface ServerTransport extends Transport {
  /**
   * Why it ended by itself, and the last output of the server. Undefined while nothing is wrong.
   */
  trouble(): string | undefined
  /**
   * Runs work that needs the server. Before and after it the server is paused, unless other work is
   * in progress. Absent if the server is not a child process.
   */
  during?<T>(work: () => Promise<T>): Promise<T>
}

/** Limits for what a server may send. */
export const limits: {
  /** One message, and one HTTP response. */
  readonly messageBytesMax: number
  /** Everything between two answers. */
  readonly betweenBytesMax: number
  /** Lines that are not messages, between two answers. */
  readonly noiseLinesMax: number
} = {
  messageBytesMax: 10 * 1024 * 1024,
  betweenBytesMax: 64 * 1024 * 1024,
  noiseLinesMax: 1000,
}
