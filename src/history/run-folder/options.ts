/** What is said of the files of a run, and what is found there. */

import type { Readable } from 'node:stream'
import type { ArtifactMode } from '../../runs/artifact-mode.ts'
import type { Runs } from '../../runs/runs.ts'

/** Document 002's limit of what an agent may print. */
export const fileBytesMax: number = 50 * 1024 * 1024

/** What is needed of a host. */
export type FolderHost = Pick<Runs, 'folder' | 'journal' | 'blobs'>

export interface RunFolderOptions {
  /** As before for a run that has a folder, else `mirror`. */
  readonly mode?: ArtifactMode
  /** A path inside the folder that the person named; `logs/loop` unless told. */
  readonly logDir?: string
  /** A whole path: the global ones are in `runs` below it. The state folder unless told. */
  readonly globalLogDir?: string
  /** Whether there is a `summary.json`; yes unless told. */
  readonly summary?: boolean
  /** Whether it is looked back at the run when it has ended; yes unless told. */
  readonly postmortem?: boolean
  /** Told of what could not be written. It is made up for at the next occasion. */
  readonly onProblem?: (problem: string) => void
}

export interface WrittenFolder {
  readonly place: 'workspace' | 'global'
  readonly path: string
  /** The last event that its files know of. */
  readonly seq: number
  /** Why it is behind; absent: it is not. */
  readonly problem?: string
}

export interface RunFolderFollower {
  /** Resolves when the run has ended and its files are written, or when it was stopped. Never rejects. */
  readonly done: Promise<void>
  /** Writes what there is and ends. */
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
  /** From the run's folder, with `/` between its parts: `analysis/summary.md`. */
  readonly path: string
  readonly kind: ArtifactKind
  readonly bytes: number
  readonly modifiedAtMs: number
}

export interface ArtifactFile extends Artifact {
  readonly mediaType: string
  /** Has to be read or destroyed: a file is open behind it. */
  readonly content: Readable
}
