/** A schedule as its driver knows it: what it is, and how far it is. */

import type {
  DailyCaps,
  NewScheduleRequest,
  ScheduleTick,
  ScheduleTrigger,
  SkipCode,
} from '../../../protocol/api/index.ts'

/** What it is, which never changes. */
export interface ScheduleDefinition
  extends Pick<
    NewScheduleRequest,
    'file' | 'workspace' | 'here' | 'input' | 'limits' | 'worktree'
  > {
  readonly trigger: ScheduleTrigger
  /** The name of the loop. */
  readonly loop: string
  readonly timeZone: string
  readonly activeHours?: string
  readonly always: boolean
  readonly caps: DailyCaps
  readonly alertAfter: number
  readonly notify?: readonly string[]
  readonly by: string
}

/** How far it is. */
export interface ScheduleState {
  /** When its cadence is due next. Absent: never again, or it has no cadence. */
  readonly nextAtMs?: number
  /** Every moment of its cadence up to this one was handled. */
  readonly handledToMs: number
  readonly paused?: Paused
  /** The run of its last tick, until its end is recorded. */
  readonly running?: RunningTick
  /** An event that no run was started for yet. */
  readonly waiting?: WaitingEvent
  /** A person asked for a run now. */
  readonly asked?: { readonly tick: string; readonly atMs: number }
  readonly today?: DayTally
  /** How many ticks failed in a row, and until when later ones are skipped. */
  readonly failures: number
  readonly backOffToMs?: number
  /** How many ticks in a row were skipped because of the same run. */
  readonly blocked: number
  /** The newest tick, if it was skipped: others like it are counted in it. */
  readonly lastSkip?: ScheduleTick
  readonly last?: ScheduleTick
  /** E8. What the last run that ended by itself was given. */
  readonly evidence?: Evidence
  readonly alert?: Alert
  /** What it saw of the file or the branch that it watches. Of runs: a position of the journal, see run-ends.ts. */
  readonly seen?: string
  /** The ids of the newest requests, so that none is accepted twice. */
  readonly hooks?: readonly AcceptedHook[]
}

export interface Paused {
  readonly atMs: number
  readonly by: string
  readonly reason?: string
}

export interface RunningTick {
  readonly tick: string
  readonly atMs: number
  readonly run: string
  readonly name: string
  readonly missed?: number
  /** E8. */
  readonly fingerprint?: string
  /** What it may spend. */
  readonly reserved: Spent
}

export interface Spent {
  readonly tokens: number
  readonly costMicros: number
}

/** What its runs used on one day of its zone: started on it, and spent by those that ended on it. */
export interface DayTally extends Spent {
  /** Such as `2026-03-29`. */
  readonly date: string
  readonly runs: number
}

export interface WaitingEvent {
  readonly tick: string
  readonly atMs: number
  /** How many later events it stands for. */
  readonly merged: number
  /** The last of them. */
  readonly newest?: { readonly tick: string; readonly atMs: number }
}

interface Evidence {
  readonly fingerprint: string
  readonly run: string
  readonly name: string
}

export interface Alert {
  readonly atMs: number
  readonly reason: string
}

interface AcceptedHook {
  readonly id: string
  readonly atMs: number
}

/** Something to do now. */
export interface Due {
  readonly tick: string
  readonly kind: 'time' | 'event' | 'now'
  /** When it became due. */
  readonly atMs: number
  /** How many other moments this one stands for. */
  readonly missed: number
}

export interface Skip {
  readonly code: SkipCode
  readonly reason: string
}

/** A run that has ended. */
export interface EndedRun {
  readonly run: string
  readonly loop: string
  readonly outcome: string
  /** Of its end in the journal. */
  readonly position: number
  /** The tick that a schedule would have because of it. */
  readonly tick: string
}
