/** A run that this process drives. */

import type { DriveEnd } from '../engine/index.ts'
import type { RecordedEvent, RunId } from '../loop/index.ts'

/** A run that this process drives. */
export interface RunHandle {
  readonly id: RunId
  readonly name: string
  /** How it ended, or that it was suspended and can be resumed. */
  readonly done: Promise<DriveEnd>
  /** From any place; ends when `done` does, and throws what `done` rejects with. */
  events(options?: { readonly afterSeq?: number }): AsyncIterable<RecordedEvent>
  /**
   * Shuts it down in good order; `done` resolves when it is suspended. The step in flight may finish
   * within its grace time, or with `now` is told to end at once.
   */
  shutDown(options?: { readonly now?: boolean }): void
}
