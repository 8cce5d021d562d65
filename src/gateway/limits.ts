/** E9. Every wait, buffer and retry of the gateway, and how long or large it may be. */

export interface GatewayLimits {
  readonly requestBytesMax: number
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
  /** Exchanges of one session at once. */
  readonly concurrentMax: number
}

export const defaultGatewayLimits: GatewayLimits = {
  requestBytesMax: 32 * 1024 * 1024,
  requestMs: 60_000,
  answerMs: 600_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  clientStallMs: 60_000,
  waitMsMax: 60_000,
  rateLimitsMax: 5,
  failuresMax: 3,
  recordBytesMax: 8 * 1024 * 1024,
  concurrentMax: 256,
}
