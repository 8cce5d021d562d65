/** Messages between Loopwright and the process that watches reads. Paths have one byte in each character. */

export interface WatcherRequest {
  readonly id: number
  /** To be watched; absent: the watch ends. */
  readonly folder?: string
  /** Folders that are not watched, from the top. */
  readonly exclude?: readonly string[]
  /** Nothing is watched; which folders of this upper layer hide what is below them? */
  readonly upper?: string
}

export type WatcherAnswer =
  | { readonly id: number; readonly ready: true }
  | { readonly id: number; readonly read: readonly string[] }
  | { readonly id: number; readonly opaque: readonly string[] }
  | { readonly id: number; readonly failed: string }
