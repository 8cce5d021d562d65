/** What a client of the daemon can ask for: the routes of docs/api.md, one method each. */

import type { Decision, OpenQuestion, RecordedEvent, RunState, RunStatus } from '../loop/index.ts'
import type { NewRunRequest, QueueEntry } from '../protocol/api/index.ts'
import type { Break } from './follow.ts'

/** A run as lists show it. */
export interface ListedRun {
  readonly id: string
  readonly name: string
  readonly loop: string
  readonly status: RunStatus
  readonly iteration: number
  readonly workspace?: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly lastSeq: number
  readonly held: boolean
  readonly interrupted: boolean
}

export interface InspectedRun {
  readonly run: ListedRun
  readonly state: RunState
  readonly questions: readonly OpenQuestion[]
  readonly checkpoints: readonly { readonly iteration: number; readonly seq: number }[]
  readonly queue?: QueueEntry
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Given as `cursor`, the page after this one. Absent: this is the last. */
  readonly next?: string
}

export interface RunsFilter {
  readonly status?: string
  readonly workspace?: string
  readonly loop?: string
  readonly name?: string
  readonly createdAfter?: number
  readonly createdBefore?: number
  readonly limit?: number
  readonly cursor?: string
}

export interface Streamed {
  readonly afterSeq?: number
  /** Without it, what is there now. */
  readonly follow?: boolean
  readonly signal?: AbortSignal | undefined
  /** Tells of a connection that was lost, and of its return. */
  readonly onBreak?: ((broken: Break) => void) | undefined
}

export interface ResumeRequest {
  readonly fromIteration?: number
  readonly force?: boolean
  readonly keepFiles?: boolean
  readonly attended?: boolean
  readonly priority?: number
  readonly trust?: string
  readonly by?: string
}

export type Told = Exclude<Decision, { type: 'answer' }>

export interface DaemonInfo {
  readonly version: string
  readonly pid: number
  readonly [more: string]: unknown
}

/** Anything that JSON can be; the daemon's schemas say what it is. */
export type Fields = Readonly<Record<string, unknown>>

export interface Client {
  /** Where it leads, for people. */
  readonly where: string
  health(options?: { readonly timeoutMs?: number }): Promise<void>
  daemon(): Promise<DaemonInfo>
  stopDaemon(): Promise<void>
  runs(filter?: RunsFilter): Promise<Page<ListedRun>>
  createRun(request: NewRunRequest, key?: string): Promise<ListedRun>
  inspect(run: string): Promise<InspectedRun>
  remove(run: string, options?: { readonly force?: boolean }): Promise<Fields>
  /** Pause, stop, cancel, change limits. */
  tell(run: string, decision: Told, by: string): Promise<void>
  resume(run: string, request?: ResumeRequest): Promise<void>
  retry(run: string, request?: Fields): Promise<Fields>
  fork(run: string, request: Fields): Promise<Fields>
  answer(run: string, question: string, answer: string, by: string): Promise<void>
  events(run: string, options?: Streamed): AsyncIterable<RecordedEvent>
  output(run: string, options?: Streamed): AsyncIterable<Fields>
  /** A GET of `/runs/{run}/{what}`. */
  read(run: string, what: string, query?: Query): Promise<unknown>
  /** A POST of `/runs/{run}/{what}`: reset, scrap, merge, create-pr, postmortem. */
  act(run: string, what: string, body?: Fields): Promise<unknown>
  queue(): Promise<readonly QueueEntry[]>
  questions(query?: Query): Promise<Page<Fields>>
  worktrees(query?: Query): Promise<Page<Fields>>
  removeWorktree(query: Query): Promise<unknown>
  /** Whatever else there is. */
  get(path: string, query?: Query): Promise<unknown>
  post(path: string, body: Fields): Promise<unknown>
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>
