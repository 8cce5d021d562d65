/**
 * The levels that loops were given and lost, for each repository and kind of action. What rounds did is in the journals of
 * their runs; this is what was concluded from it, and what people decided. Rows are only added.
 *
 * T1. A change is stored once for each key, so that a conclusion that is drawn again changes nothing.
 * T2. `lower` takes one level from whatever the level is then, and never goes below 1.
 * T3. A change that names the last one it knows is stored only if that still is the last one.
 */

import type { Json, Level } from '../../loop/index.ts'

/** What a level is about. */
export interface LevelScope {
  readonly loop: string
  /** The folder of the repository, or the folder that the loop works in. */
  readonly repository?: string
  /** The kind of the action that the loop proposes. */
  readonly kind: string
}

/**
 * `granted`: a person set it. `earned`: the evidence passed the bar. `escape`: work that was certified turned out to be
 * wrong. `proposed`: the evidence passed the bar of a level that only a person can give; the level stays. `bars`: a person
 * changed what is required; the level stays.
 */
export type LevelCause = 'granted' | 'earned' | 'escape' | 'proposed' | 'bars'

export interface NewLevelChange extends LevelScope {
  /** Identifies the conclusion or the decision. */
  readonly key: string
  readonly cause: LevelCause
  /** The new level. Absent: it stays. */
  readonly level?: Level | 'lower'
  /** The level before the first change. Default: 1. */
  readonly starting?: Level
  /** Who decided, or `evidence`. */
  readonly by: string
  readonly reason: string
  readonly details?: Json
  readonly atMs: number
  /** T3. The id of the last change, or 0 if there was none. Absent: whatever was the last one. */
  readonly after?: number
}

export interface LevelChange extends Omit<NewLevelChange, 'level' | 'after' | 'starting'> {
  /** Grows with every change. */
  readonly id: number
  /** The level after it, and before it. */
  readonly level: Level
  readonly from: Level
}

export interface LevelFilter extends Partial<LevelScope> {
  /** `''`: of loops without one. */
  readonly repository?: string
  readonly causes?: readonly LevelCause[]
  readonly limit: number
  /** The id of the last one of the previous page. */
  readonly before?: number
}

export interface Trust {
  /** T1. Resolves with the stored change. Undefined: T3, another one was stored meanwhile. */
  record(change: NewLevelChange): Promise<LevelChange | undefined>
  /** The last change. Undefined: there was none, so the level is 1. */
  current(scope: LevelScope): Promise<LevelChange | undefined>
  /** The newest first. */
  changes(filter: LevelFilter): Promise<readonly LevelChange[]>
}

/** The causes of changes that set the level. The others leave it as it is. */
export const settingCauses: readonly LevelCause[] = ['granted', 'earned', 'escape']

/** The level of a loop that has done nothing yet. */
export const firstLevel: Level = 1

export const lowered = (level: Level): Level => (level === 3 ? 2 : 1)
