/** What Loopwright and the process that watches reads say to each other. Paths have one byte in each character. */

export interface WatcherRequest {
  readonly id: number
  /** Absent: the watch ends. */
  readonly folder?: string
  /** Folders that are not watched, from the top. */
  readonly exclude?: readonly string[]
}

export type WatcherAnswer =
  | { readonly id: number; readonly ready: true }
  | { readonly id: number; readonly read: readonly string[] }
  | { readonly id: number; readonly failed: string }
