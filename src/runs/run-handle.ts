import type { DriveEnd } from '../engine/index.ts'
import type { RecordedEvent, RunId } from '../loop/index.ts'

/** A run that this process drives. */
export interface RunHandle {
  readonly id: RunId
  readonly name: string
  /** Resolves when the run has ended, or is suspended and can be resumed. */
  readonly done: Promise<DriveEnd>
  /** Events after `afterSeq`. Ends when `done` resolves, and throws the error that `done` rejects with. */
  events(options?: { readonly afterSeq?: number }): AsyncIterable<RecordedEvent>
  /**
   * Suspends the run; `done` resolves when it is suspended. The current step may finish within its grace time. With
   * `now`, it is aborted at once.
   */
  shutDown(options?: { readonly now?: boolean }): void
}
