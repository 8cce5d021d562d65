/** E9. The limit of every wait, buffer and retry of the gateway. */

/** The limits of a gateway. */
export interface GatewayLimits {
  readonly requestBytesMax: number
  /** Bodies of requests in progress, over all sessions. */
  readonly heldBytesMax: number
  /** For a request to arrive completely. */
  readonly requestMs: number
  /** Until the provider starts to respond. */
  readonly answerMs: number
  /**
   * Between two events of a stream; for a complete response that is not a stream, once it has
   * started.
   */
  readonly idleMs: number
  /** For one response overall. */
  readonly totalMs: number
  /** For a client to read what was written to it. */
  readonly clientStallMs: number
  /**
   * The gateway waits for a rate-limit window up to this long; the client waits for longer ones.
   */
  readonly waitMsMax: number
  /** Rate-limit refusals of one request that the gateway waits out. */
  readonly rateLimitsMax: number
  /** Failures of one request that the gateway retries. */
  readonly failuresMax: number
  /** Of a response that is recorded. */
  readonly recordBytesMax: number
  /** Of free requests that are recorded with their bodies, in one session. */
  readonly unchargedBytesMax: number
  /** Concurrent exchanges of one session. */
  readonly concurrentMax: number
}

export const defaultGatewayLimits: GatewayLimits = {
  // Larger bodies would block everything else while they are parsed and searched for secrets.
  requestBytesMax: 16 * 1024 * 1024,
  heldBytesMax: 64 * 1024 * 1024,
  requestMs: 60_000,
  answerMs: 600_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  clientStallMs: 60_000,
  waitMsMax: 60_000,
  rateLimitsMax: 5,
  failuresMax: 3,
  recordBytesMax: 8 * 1024 * 1024,
  unchargedBytesMax: 4 * 1024 * 1024,
  concurrentMax: 256,
}
