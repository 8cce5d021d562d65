/** Messages between Loopwright and the process that watches reads. Paths have one byte per character. */

export interface WatcherRequest {
  readonly id: number
  /** The folder to watch; absent: the watch ends. */
  readonly folder?: string
  /** Folders that are not watched, relative to `folder`. */
  readonly exclude?: readonly string[]
  /** Instead of a watch: find the folders of this upper layer that hide the lower layer. */
  readonly upper?: string
}

export type WatcherAnswer =
  | { readonly id: number; readonly ready: true }
  | { readonly id: number; readonly read: readonly string[] }
  | { readonly id: number; readonly opaque: readonly string[] }
  | { readonly id: number; readonly failed: string }
