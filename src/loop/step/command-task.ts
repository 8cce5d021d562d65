/** A command of a loop: it works in a copy of the workspace, so it changes nothing. */

import type { BlobId } from '../ids.ts'

export interface CommandTask {
  /** For `/bin/sh -c`. What is not known when the loop is written belongs into `env`, never into this text. */
  readonly command: string
  readonly env?: { readonly [name: string]: string }
  /** The working directory, relative to the root of the workspace. */
  readonly cwd?: string
  /** What the copy has instead of what the workspace has there, by path. */
  readonly files?: { readonly [path: string]: CommandFile }
  /** Paths that the copy does not have. The same list for all commands of a run keeps one copy in use. */
  readonly without?: readonly string[]
  /** Like `files`, for all commands that are prepared together. */
  readonly shared?: { readonly [path: string]: CommandFile }
  /** Runs first, in a copy with the `shared` files, once for all of their commands; what it writes is in their copies. */
  readonly prepare?: { readonly command: string; readonly timeoutMs: number }
  /** A file that the command writes, relative to the root. */
  readonly output?: string
  /** A file of the workspace: how the output differs from it is in the report. */
  readonly expected?: string
  /** So many characters of the output are in the report, if it is text. Default: none. */
  readonly outputCharsMax?: number
  /** Default: 10 minutes. Does not include the time in which it waits for its turn. */
  readonly timeoutMs?: number
  /** How many bytes of the end of each stream are kept. Default: 16 KiB. */
  readonly streamBytesMax?: number
  /** It waits until fewer commands of the run than this are running. Default: the number of processors. */
  readonly concurrency?: number
  /** Of several runs with the same content: which one, from 1. */
  readonly repeat?: number
  /** The result of an earlier run with the same content counts as its own. Default: it always runs. */
  readonly reuse?: boolean
  /** It reaches models through the gateway, which reserves and meters what it spends. Default: it reaches nothing. */
  readonly usesModels?: true
  /** What it costs outside of the gateway, in micro-dollars; a result that is reused costs nothing. */
  readonly costMicros?: number
}

export type CommandFile =
  | { readonly text: string }
  /** Content that a step of this run stored. */
  | { readonly blob: BlobId }
  /** A file of the workspace, possibly at another path. */
  | { readonly from: string }

/**
 * `unavailable`: it was not started, or not by its fault killed: nothing is known of it. `denied`: the policy does not
 * allow it.
 */
export type CommandEnd = 'exited' | 'signal' | 'timeout' | 'unavailable' | 'denied'

export interface CommandOutput {
  readonly blob: BlobId
  readonly bytes: number
  readonly difference?: Difference
  readonly text?: string
}

/** In lines. */
export interface Difference {
  /** Only in the expected file. */
  readonly missing: number
  /** Only in the output. */
  readonly added: number
  /** Of the expected file. */
  readonly expected: number
}

export interface CommandReport {
  readonly ended: CommandEnd
  readonly exitCode?: number
  /** Why it is unavailable or denied, or which limit it reached. */
  readonly problem?: string
  readonly stdout: string
  readonly stderr: string
  /** What it wrote to `output`. Absent: nothing there, or no regular file. */
  readonly output?: CommandOutput
  readonly durationMs: number
  /** The result of an earlier run. */
  readonly reused?: true
}
