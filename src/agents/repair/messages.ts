/**
 * What we and our program inside the sandbox say to each other: one job in, lines of JSON out. Types
 * only, so that the inside needs nothing but Node.
 *
 * What runs inside is not believed: it names edits by their number in our own list, and what it calls
 * mended is tried by the project's own command.
 */

/** Text that stands for a file, in place of what is on the disk. */
export interface TextFile {
  /** From the root of the project. */
  readonly path: string
  readonly code: string
}

/** `[file, start, end, text]`: a file by its number in `bases`. */
export type SentEdit = readonly [file: number, start: number, end: number, text: string]

export interface SurveyJob {
  readonly type: 'survey'
  readonly root: string
  /** Where the search may be; with counters in it. */
  readonly files: readonly TextFile[]
  readonly tests: readonly string[]
  /** How many counters there are. */
  readonly probes: number
  /** Files that are loaded before the tests. */
  readonly preload: readonly string[]
  readonly testTimeoutMs: number
  readonly deadlineMs: number
}

export interface TryJob {
  readonly type: 'try'
  readonly root: string
  /** As in the survey, without counters. */
  readonly files: readonly TextFile[]
  readonly bases: readonly TextFile[]
  readonly edits: readonly SentEdit[]
  readonly preload: readonly string[]
  /** A few tests that fail; then all that may be looked at; then those that were held back. */
  readonly first: readonly string[]
  readonly visible: readonly string[]
  readonly heldBack: readonly string[]
  /** For one test, and for all that are asked for at once. */
  readonly firstLimits: RunLimits
  readonly allLimits: RunLimits
  readonly deadlineMs: number
  readonly workers: number
}

export interface RunLimits {
  readonly testMs: number
  readonly totalMs: number
}

/** Where tests cannot be run one by one: the command is run on a copy. */
export interface CommandJob {
  readonly type: 'command'
  readonly root: string
  readonly command: readonly string[]
  /** None: only what is covered is found out. */
  readonly edits: readonly SentEdit[]
  /** The files as they are, not without types. */
  readonly bases: readonly TextFile[]
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly workers: number
}

export type Job = SurveyJob | TryJob | CommandJob

export type Said =
  | {
      readonly type: 'test'
      readonly id: string
      readonly ok: boolean
      readonly ms: number
      /** Which counters it moved: bits, base64. */
      readonly hits: string
      readonly error?: string
      readonly hung?: boolean
      /** Not the project's fault: we cannot run it. */
      readonly unsupported?: boolean
    }
  | { readonly type: 'again'; readonly id: string; readonly ok: boolean; readonly ms: number }
  | { readonly type: 'loaded'; readonly file: string; readonly ms: number; readonly hits: string }
  | { readonly type: 'covered'; readonly file: string; readonly ranges: readonly CoveredRange[] }
  | { readonly type: 'tried'; readonly upTo: number; readonly hung: number }
  /** It passed all but what was held back, of which it failed `failed`. */
  | { readonly type: 'overfit'; readonly edit: number; readonly failed: number }
  | { readonly type: 'found'; readonly edit: number }
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'end'; readonly next: number; readonly hung: number }

export type CoveredRange = readonly [start: number, end: number, count: number]
