/**
 * The messages between this process and the program in the sandbox: one job in, lines of JSON out.
 * Types only, so that the sandboxed program needs nothing but Node.
 *
 * What runs in the sandbox is not trusted: it refers to edits by their index in our own list, and
 * what it reports as fixed is verified by the project's own command.
 */

/** Text that replaces a file on disk. */
export interface TextFile {
  /** Relative to the project root. */
  readonly path: string
  readonly code: string
}

/** `[file, start, end, text]`: `file` is an index in `bases`. */
export type WireEdit = readonly [file: number, start: number, end: number, text: string]

export interface SurveyJob {
  readonly type: 'survey'
  readonly root: string
  /** The searched files, with counters. */
  readonly files: readonly TextFile[]
  readonly tests: readonly string[]
  /** The number of counters. */
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
  readonly edits: readonly WireEdit[]
  readonly preload: readonly string[]
  /** A few failing tests; then all visible tests; then those held back. */
  readonly first: readonly string[]
  readonly visible: readonly string[]
  readonly heldBack: readonly string[]
  /** For one test, and for all tests of one request. */
  readonly firstLimits: RunLimits
  readonly allLimits: RunLimits
  readonly deadlineMs: number
  readonly workers: number
}

export interface RunLimits {
  readonly testMs: number
  readonly totalMs: number
}

/** For tests that cannot be run one by one: runs the command on a copy. */
export interface CommandJob {
  readonly type: 'command'
  readonly root: string
  readonly command: readonly string[]
  /** If empty, only coverage is measured. */
  readonly edits: readonly WireEdit[]
  /** The files with their types. */
  readonly bases: readonly TextFile[]
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly workers: number
}

export type Job = SurveyJob | TryJob | CommandJob

export type SandboxMessage =
  | {
      readonly type: 'test'
      readonly id: string
      readonly ok: boolean
      readonly ms: number
      /** Which counters it moved: bits, base64. */
      readonly hits: string
      readonly error?: string
      readonly hung?: boolean
      /** We cannot run this test; it is not the project's fault. */
      readonly unsupported?: boolean
    }
  | { readonly type: 'again'; readonly id: string; readonly ok: boolean; readonly ms: number }
  | { readonly type: 'loaded'; readonly file: string; readonly ms: number; readonly hits: string }
  | { readonly type: 'covered'; readonly file: string; readonly ranges: readonly CoveredRange[] }
  | { readonly type: 'tried'; readonly upTo: number; readonly hung: number }
  /** It passed all visible tests, but failed `failed` of those held back. */
  | { readonly type: 'overfit'; readonly edit: number; readonly failed: number }
  | { readonly type: 'found'; readonly edit: number }
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'end'; readonly next: number; readonly hung: number }

export type CoveredRange = readonly [start: number, end: number, count: number]
