/** What a session is opened with, and what the parts of the gateway share of it. */

import type { Clock } from '../engine/index.ts'
import type { Amount, Reservation, Signal } from '../loop/index.ts'
import type { GatewayLimits } from './limits.ts'
import type { Pace } from './pace.ts'
import type { FindPrice } from './price.ts'
import type { FormatRoutes, Provider, ProviderTable } from './provider.ts'
import type { RateWindows } from './rate-windows.ts'
import type { HeldBytes } from './read-body.ts'
import type { Exchange } from './record.ts'
import type { Replayer, ReplaySettings } from './replay.ts'
import type { Secrets } from './secrets.ts'
import type { Tally } from './totals.ts'
import type { Turns } from './turn.ts'
import type { Upstream } from './upstream.ts'

/** What a session may spend and whom it informs. */
export interface SessionOptions {
  /** The step that the session is for. */
  readonly step: string
  /** Lays a worst case on the scale, durably. Rejects with the fault `budget` when it does not fit. */
  readonly reserve: (worst: Amount) => Promise<Reservation>
  readonly signal: Signal
  /** What the run has left. With it a call asks for less output where that makes it fit. */
  readonly remaining?: () => Amount
  readonly note?: (note: GatewayNote) => void
  /** Keeps an exchange. What it throws ends the session: a run that cannot be recorded stops. */
  readonly record?: (exchange: Exchange) => Promise<void>
  /** Answers from the record, and from nothing else. */
  readonly replay?: ReplaySettings
  /**
   * Laid over the gateway's, for this session. The gateway's keys do not follow to another host, unless
   * it is this machine.
   */
  readonly providers?: ProviderTable
  /** Asked before the gateway's keys. */
  readonly keys?: (provider: string) => string | undefined
  /** Which provider answers which format, where it is another than the usual. */
  readonly routes?: Partial<FormatRoutes>
  /** Besides the keys and the token: what must not be on record. */
  readonly secrets?: readonly string[]
}

/** What a session reports while it works. */
export type GatewayNote =
  /** A window of the provider is closed. Nothing failed. */
  | {
      readonly type: 'waiting'
      readonly provider: string
      readonly model: string
      readonly untilMs: number
      readonly message: string
    }
  | {
      readonly type: 'exchange-ended'
      readonly ordinal: number
      readonly provider: string
      readonly model: string
      readonly ended: string
      readonly spent: Amount
      readonly isEstimated: boolean
      readonly durationMs: number
    }

/** What all sessions of a gateway share. */
export interface GatewayParts {
  readonly clock: Clock
  readonly limits: GatewayLimits
  readonly providers: ReadonlyMap<string, Provider>
  readonly keys: (provider: string) => string | undefined
  readonly upstream: Upstream
  readonly held: HeldBytes
  readonly windows: RateWindows
  /** Read when the first call is paid for. */
  readonly prices: () => Promise<FindPrice>
}

export interface SessionParts extends GatewayParts {
  readonly options: SessionOptions
  /** Grows when a key changes. */
  secrets: Secrets
  readonly tally: Tally
  readonly replayer: Replayer | undefined
  readonly turns: Turns
  /** Aborts when the session ends. */
  readonly stop: AbortController
  /** Correction of estimates by what providers counted; grows only. */
  factor: number
  readonly pace: Pace
  /** Of questions that cost nothing, so far. */
  readonly uncharged: { bytes: number }
  /** Settles when all exchanges that have ended so far are on record. */
  written: Promise<void>
}
