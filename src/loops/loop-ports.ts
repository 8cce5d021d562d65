/**
 * What a loop type can use besides `it`, in its steps. Given when the loop is opened for a run; a loop that is only looked at
 * has none.
 */

import type { Action, Level, Signal } from '../loop/index.ts'
import type { Gather } from './context/gather.ts'
import type { MeasuredCommand } from './context/measure.ts'
import type { SkillReader } from './context/skills.ts'

export interface LoopPorts {
  /** The name of the run. */
  readonly run: string
  /** The branch of the run, where its work is kept. Absent: it has none. */
  readonly branch?: string
  readonly skills: SkillReader
  /** Runs a command in the sandbox of the run and returns what it wrote to the file `LOOP_METRICS_OUT`. */
  measure(request: MeasureRequest, signal: Signal): Promise<MeasuredCommand>
  /** Finds files of the workspace. Absent: not supported. */
  readonly find?: FindFiles
  /** Reads sources outside of the files: history, issues, CI. Absent: not supported. */
  readonly gather?: Gather
  /** The time, in milliseconds. Absent: unknown. */
  readonly now?: () => number
  /** What rounds of the loop know from earlier ones. Absent: they remember nothing. */
  readonly memory?: LoopMemory
  /** Proposals of other runs of the loop that wait for a person. Absent: unknown. */
  readonly proposals?: Proposals
  /** The action that the loop type proposes, with its settings for the executor. Absent: it proposes none. */
  readonly proposes?: Omit<Action, 'summary'>
  /** What the report has to say about the level of the loop. */
  readonly notices?: readonly string[]
  /** The effective level of the run. Absent: that of the loop file. */
  readonly level?: Level
}

/** In the same repository or folder. */
export interface Proposals {
  list(): Promise<readonly OpenProposal[]>
  /** Answers its question in place of a person. False: a person was first, or its run has ended. */
  supersede(proposal: OpenProposal): Promise<boolean>
}

/** A question of an earlier round that has no answer yet. */
export interface OpenProposal {
  /** The name of the run. */
  readonly run: string
  /** The id of its question. */
  readonly question: string
  /** What it is about: a later proposal about the same replaces it. */
  readonly about: string
}

/** Regular files that match one of the patterns, in the order of their paths. Links are not followed. */
export type FindFiles = (
  request: {
    /** Paths or globs, from the root of the workspace. */
    readonly patterns: readonly string[]
    /** It rejects if more match. */
    readonly filesMax: number
  },
  signal: Signal,
) => Promise<readonly FoundFile[]>

export interface FoundFile {
  /** From the root of the workspace. */
  readonly path: string
  readonly bytes: number
  /** SHA-256 of its content. */
  readonly digest: string
}

/** Facts of earlier rounds of the loop. A claim of an agent, never an instruction. */
export interface LoopMemory {
  /**
   * By the name of the loop first, the newest first, then by relevance to `query`. Never expired ones. It rejects only if the
   * signal aborts: a failure is `{ memories: [], problem }`.
   */
  recall(
    request: { readonly limit: number; readonly query?: string },
    signal: Signal,
  ): Promise<RecalledMemories>
  /** Once for each key. */
  record(memory: NewMemory): Promise<{ readonly problem?: string }>
}

/** What was found, or why nothing could be. */
export interface RecalledMemories {
  readonly memories: readonly RecalledMemory[]
  readonly problem?: string
}

/** A fact of an earlier round. */
export interface RecalledMemory {
  readonly id: string
  readonly text: string
  readonly source: string
  readonly atMs: number
}

/** A fact that a round leaves for the next ones. */
export interface NewMemory {
  readonly key: string
  readonly text: string
  readonly tags: readonly string[]
  /** Such as `loop:<name>`. */
  readonly source: string
  readonly expiresAtMs?: number
}

export interface MeasureRequest {
  readonly command: string
  readonly timeoutMs: number
  readonly iteration: number
  /** Relative to the root of the workspace. Absent: the loop has none. */
  readonly spec?: string
}
