/** The options of a session, and what the parts of the gateway share. */

import type { Clock } from '../engine/index.ts'
import type { Amount, Reservation, Signal } from '../loop/index.ts'
import type { GatewayLimits } from './limits.ts'
import type { Pace } from './pace.ts'
import type { FindPrice } from './pricing/price.ts'
import type { FormatRoutes, Provider, ProviderTable } from './provider.ts'
import type { RateWindows } from './rate-windows.ts'
import type { HeldBytes } from './read-body.ts'
import type { Exchange } from './recorded-exchange.ts'
import type { Replayer, ReplaySettings } from './replay.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { Tally } from './totals.ts'
import type { Upstream } from './upstream.ts'
import type { Turns } from './wire/turn.ts'

/** What a session may spend and whom it informs. */
export interface SessionOptions {
  /** The step that the session serves. */
  readonly step: string
  /** Reserves a worst case durably. Rejects with the fault `budget` if it does not fit. */
  readonly reserve: (worst: Amount) => Promise<Reservation>
  readonly signal: Signal
  /**
   * The remaining budget, of output only if that is limited separately. If given, a call requests less output where
   * that makes it fit.
   */
  readonly remaining?: () => Amount
  readonly note?: (note: GatewayNote) => void
  /** Records an exchange. An error ends the session: a run that cannot be recorded stops. */
  readonly record?: (exchange: Exchange) => Promise<void>
  /** Serves recorded responses only. */
  readonly replay?: ReplaySettings
  /**
   * Overrides the gateway's providers for this session. The gateway's keys are not sent to another
   * host, except on this machine.
   */
  readonly providers?: ProviderTable
  /** Takes precedence over the gateway's keys. */
  readonly keys?: (provider: string) => string | undefined
  /** Which provider serves which format, where it is not the default. */
  readonly routes?: Partial<FormatRoutes>
  /** What must not be recorded, besides the keys and the token. */
  readonly secrets?: readonly string[]
}

/** What a session reports while it works. */
export type GatewayNote =
  /** The provider's rate limit is reached. Nothing failed. */
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
  /** Loaded for the first charged call. */
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
  /** Correction of estimates by the token counts of providers; only grows. */
  factor: number
  readonly pace: Pace
  /** Bytes of free requests so far. */
  readonly uncharged: { bytes: number }
  /** Settles when all ended exchanges are recorded. */
  written: Promise<void>
}
