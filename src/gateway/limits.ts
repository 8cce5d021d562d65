/** E9. Every wait, buffer and retry of the gateway, and how long or large it may be. */

/** The limits of a gateway. */
export interface GatewayLimits {
  readonly requestBytesMax: number
  /** Of requests that are under way, in all sessions together. */
  readonly heldBytesMax: number
  /** For a request to arrive as a whole. */
  readonly requestMs: number
  /** Until the provider begins to answer. */
  readonly answerMs: number
  /** Between two events of a stream; for the whole of an answer that is no stream, once it begins. */
  readonly idleMs: number
  /** For one answer in all. */
  readonly totalMs: number
  /** For a client to take what was written to it. */
  readonly clientStallMs: number
  /** A window of a provider that opens later is the client's to wait for. */
  readonly waitMsMax: number
  /** Refusals of one request that are waited out. */
  readonly rateLimitsMax: number
  /** Failures of one request that are tried again. */
  readonly failuresMax: number
  /** Of an answer that is kept on record. */
  readonly recordBytesMax: number
  /** Of questions that cost nothing and are kept with their bodies, in one session. */
  readonly unchargedBytesMax: number
  /** Exchanges of one session at once. */
  readonly concurrentMax: number
}

export const defaultGatewayLimits: GatewayLimits = {
  // Longer ones would stop everything else for as long as they are read and searched for secrets.
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
