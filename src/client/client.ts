/** What a client of the daemon can ask for: the routes of docs/api.md. */

import type { Decision, RecordedEvent } from '../loop/index.ts'
import type {
  DaemonInfo,
  Diff,
  ForkRequest,
  InboxQuestion,
  Merged,
  MergeRequest,
  NewRunRequest,
  OutputEntry,
  Page,
  Preview,
  QueueEntry,
  ResumeRequest,
  RetryRequest,
  Run,
  RunAnswer,
  RunDetail,
  RunRemoved,
  Worktree,
} from '../protocol/api/index.ts'
import type { LoopOperationName } from '../protocol/index.ts'
import type { Break } from './follow.ts'

export interface RunsFilter {
  /** Ours, or the name that document 002 has for it. */
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
  /** False: only what is there now. */
  readonly follow?: boolean
  readonly signal?: AbortSignal | undefined
  /** Tells of a connection that was lost, and of its return. */
  readonly onBreak?: ((broken: Break) => void) | undefined
}

export type Told = Exclude<Decision, { type: 'answer' }>

export interface Operated {
  /** Of an operation about a run. */
  readonly run?: string
  readonly body?: object
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface Client {
  /** Where it leads, for people. */
  readonly where: string
  health(options?: { readonly timeoutMs?: number }): Promise<void>
  daemon(): Promise<DaemonInfo>
  stopDaemon(): Promise<void>
  previewLoop(file: string): Promise<Preview>

  runs(filter?: RunsFilter): Promise<Page<Run>>
  queue(): Promise<readonly QueueEntry[]>
  questions(query?: Query): Promise<Page<InboxQuestion>>
  worktrees(query?: Query): Promise<Page<Worktree>>

  /** With a key that was used before, the run of that time. */
  createRun(request: NewRunRequest, key?: string): Promise<RunAnswer>
  inspect(run: string): Promise<RunDetail>
  remove(run: string, options?: { readonly force?: boolean }): Promise<RunRemoved>
  /** Pause, stop, cancel, change limits. */
  tell(run: string, decision: Told, by: string): Promise<void>
  resume(run: string, request?: ResumeRequest): Promise<RunAnswer>
  retry(run: string, request?: RetryRequest): Promise<RunAnswer>
  fork(run: string, request: ForkRequest): Promise<RunAnswer>
  answer(run: string, question: string, answer: string, by: string): Promise<void>
  diff(run: string, query?: Query): Promise<Diff>
  merge(run: string, request?: MergeRequest): Promise<Merged>
  events(run: string, options?: Streamed): AsyncIterable<RecordedEvent>
  output(run: string, options?: Streamed): AsyncIterable<OutputEntry>

  /** An operation that a loop type declares, for the runs of that type or for none. */
  operate(type: string, operation: LoopOperationName, request?: Operated): Promise<unknown>

  /** Whatever else there is, by its path. */
  get(path: string, query?: Query): Promise<unknown>
  post(path: string, body?: object): Promise<unknown>
  delete(path: string, query?: Query): Promise<unknown>
}

/** The path of a run, or of something of it. */
export const runPath = (run: string, ...more: readonly string[]): string =>
  ['/runs', run, ...more].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join('/')
