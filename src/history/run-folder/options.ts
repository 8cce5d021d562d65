/** Options and types of run folders. */

import type { Readable } from 'node:stream'
import type { ArtifactMode } from '../../runs/artifact-mode.ts'
import type { Runs } from '../../runs/runs.ts'

/** The limit of the legacy format for the output of an agent. */
export const fileBytesMax: number = 50 * 1024 * 1024

/** The part of a host that run folders need. */
export type FolderHost = Pick<Runs, 'folder' | 'journal' | 'blobs'>

export interface RunFolderOptions {
  /** Default: the stored mode of the run, else `mirror`. */
  readonly mode?: ArtifactMode
  /** A path inside the user's folder; default: `logs/loop`. */
  readonly logDir?: string
  /** An absolute path; run folders are in `runs` below it. Default: the state folder. */
  readonly globalLogDir?: string
  /** Whether to write `summary.json`; default: true. */
  readonly summary?: boolean
  /** Whether to write a postmortem after the run; default: true. */
  readonly postmortem?: boolean
  /** Receives what could not be written. The next update tries again. */
  readonly onProblem?: (problem: string) => void
}

export interface WrittenFolder {
  readonly place: 'workspace' | 'global'
  readonly path: string
  /** The last event that its files include. */
  readonly seq: number
  /** Why it is behind; absent: it is up to date. */
  readonly problem?: string
}

export interface RunFolderFollower {
  /** Resolves when the run has ended and its files are written, or when it was stopped. Never rejects. */
  readonly done: Promise<void>
  /** Writes everything so far and ends. */
  stop(): Promise<void>
}

export type ArtifactKind =
  | 'report'
  | 'summary'
  | 'prompt'
  | 'output'
  | 'log'
  | 'tail'
  | 'diff'
  | 'postmortem'
  | 'other'

export interface Artifact {
  /** Relative to the run folder, with `/`: `analysis/summary.md`. */
  readonly path: string
  readonly kind: ArtifactKind
  readonly bytes: number
  readonly modifiedAtMs: number
}

export interface ArtifactFile extends Artifact {
  readonly mediaType: string
  /** Must be read or destroyed, because it holds an open file. */
  readonly content: Readable
}
