/** What the two racers are told, and what they answer. */

import type { RunId } from 'loopwright'

export interface RaceJob {
  readonly race: number
  readonly run: RunId
  readonly work: string
  readonly effects: string
  /** The moment at which to begin. */
  readonly atMs: number
  /** How far the clock of this racer's journal is ahead: past a lease of the other. */
  readonly aheadMs: number
  readonly hold: Hold
}

/** What the step in the middle does in its first attempt. */
export type Hold = 'pass' | 'return' | 'fault'

export type RacerMessage =
  | { readonly type: 'ready' }
  /** It is in the middle of its step. */
  | { readonly type: 'holding'; readonly race: number }
  /** `ended`, or the code of the error that it got. */
  | { readonly type: 'done'; readonly race: number; readonly end: string }
