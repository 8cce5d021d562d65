/** The operations of a client: the routes of docs/api.md. */

import type { AnswerInput, Decision, RecordedEvent } from '../loop/index.ts'
import type {
  AddedSchedule,
  CatalogListing,
  ChangedSummaries,
  DaemonInfo,
  DashboardLink,
  Diff,
  Digest,
  EscalatedRounds,
  ForgottenFacts,
  ForkRequest,
  InboxQuestion,
  LandRequest,
  LevelEntry,
  LevelList,
  LevelRequest,
  LevelStanding,
  LoopListing,
  LoopOperationName,
  Machine,
  MemoryFact,
  MergeRequest,
  MergeResponse,
  NewRunRequest,
  NewScheduleRequest,
  OutputEntry,
  Page,
  Plan,
  Preview,
  QueueEntry,
  ResumeRequest,
  RetryRequest,
  Run,
  RunAnswer,
  RunDetail,
  RunRemovalResponse,
  RunSummaries,
  Schedule,
  ScheduleList,
  SchedulePauseRequest,
  StartFindings,
  Worktree,
} from '../protocol/api/index.ts'
import type { Break } from './follow.ts'

/** Which runs are listed. */
export interface RunsFilter {
  /** One of our statuses, or a legacy one. */
  readonly status?: string
  readonly workspace?: string
  readonly loop?: string
  readonly name?: string
  readonly createdAfter?: number
  readonly createdBefore?: number
  /** Adds the questions of each run, and how long it waited. */
  readonly attention?: boolean
  readonly limit?: number
  readonly cursor?: string
}

/** Which part of a stream is read. */
export interface Streamed {
  readonly afterSeq?: number
  /** False: only what exists now. */
  readonly follow?: boolean
  readonly signal?: AbortSignal | undefined
  /** Called with the id of each message, such as a position. */
  readonly onPosition?: ((position: number) => void) | undefined
  /** Called when the connection is lost, and when it is back. */
  readonly onBreak?: ((broken: Break) => void) | undefined
}

export type ControlDecision = Exclude<Decision, { type: 'answer' }>

/** What an operation of a loop type is called with. */
export interface OperationRequest {
  /** For an operation about a run. */
  readonly run?: string
  readonly body?: object
}

/** The query of a request. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A client of one daemon: the routes of docs/api.md. */
export interface Client {
  /** The address of the daemon, for messages. */
  readonly where: string
  health(options?: { readonly timeoutMs?: number }): Promise<void>
  daemon(): Promise<DaemonInfo>
  stopDaemon(): Promise<void>
  /** What runs depend on: sandbox, agents, disk, journal. */
  machine(): Promise<Machine>
  /** A link that opens the dashboard once. */
  createDashboardLink(): Promise<DashboardLink>
  /** The loop files of known projects. */
  loops(): Promise<LoopListing>
  /** Those of one folder of the daemon's machine. */
  findLoops(folder: string): Promise<LoopListing>
  catalog(): Promise<CatalogListing>
  previewLoop(file: string): Promise<Preview>
  /** What a run would do. Creates and spends nothing. */
  planRun(request: NewRunRequest): Promise<Plan>
  /** What prevents a run. Starts nothing of the project. */
  preflight(request: NewRunRequest): Promise<StartFindings>

  runs(filter?: RunsFilter): Promise<Page<Run>>
  /** With what a dashboard shows of each run. To follow them, pass `position` as `afterSeq`. */
  summaries(filter?: RunsFilter): Promise<RunSummaries>
  /** The runs that change, until the signal aborts. */
  changedSummaries(options: Streamed): AsyncIterable<ChangedSummaries>
  queue(): Promise<readonly QueueEntry[]>
  questions(query?: Query): Promise<Page<InboxQuestion>>
  worktrees(query?: Query): Promise<Page<Worktree>>

  /** A key that was used before returns the run of that request. */
  createRun(request: NewRunRequest, key?: string): Promise<RunAnswer>
  inspect(run: string): Promise<RunDetail>
  remove(run: string, options?: { readonly force?: boolean }): Promise<RunRemovalResponse>
  /** Pause, stop, cancel, change limits, or tell its agent something. */
  sendDecision(run: string, decision: ControlDecision, by: string): Promise<void>
  /** @deprecated Use `sendDecision`. */
  tell(run: string, decision: ControlDecision, by: string): Promise<void>
  resume(run: string, request?: ResumeRequest): Promise<RunAnswer>
  retry(run: string, request?: RetryRequest): Promise<RunAnswer>
  fork(run: string, request: ForkRequest): Promise<RunAnswer>
  /** `by` is only recorded: who answers is the identity of the token. */
  answer(run: string, question: string, answer: string | AnswerInput, by: string): Promise<void>
  diff(run: string, query?: Query): Promise<Diff>
  /** One HTML file that shows all of it. */
  report(run: string): Promise<string>
  /** A file of its run folder, as text. */
  artifact(run: string, path: string): Promise<string>
  merge(run: string, request?: MergeRequest): Promise<MergeResponse>
  land(run: string, request: LandRequest): Promise<MergeResponse>
  events(run: string, options?: Streamed): AsyncIterable<RecordedEvent>
  output(run: string, options?: Streamed): AsyncIterable<OutputEntry>

  /** What all loops did since a time. Default: in the last day. */
  digest(query?: { readonly since?: number }): Promise<Digest>
  /** Rounds that ended and need a person, though none is asked. Default: since seven days ago. */
  escalations(query?: { readonly since?: number }): Promise<EscalatedRounds>
  /** The levels of loops. Looks for work that was reverted, and lowers levels that have to fall. */
  levels(query?: { readonly loop?: string }): Promise<LevelList>
  levelChanges(query?: Query): Promise<Page<LevelEntry>>
  decideLevel(request: LevelRequest): Promise<LevelStanding>
  /** What loops remember, the newest first. */
  memories(query?: Query): Promise<Page<MemoryFact>>
  memory(fact: string): Promise<MemoryFact>
  forgetMemory(fact: string): Promise<ForgottenFacts>
  /** All facts of a loop, in one repository or in all. */
  forgetMemories(of: {
    readonly loop: string
    readonly workspace?: string
  }): Promise<ForgottenFacts>

  /** An operation that a loop type declares, about one of its runs or about none. */
  operate(type: string, operation: LoopOperationName, request?: OperationRequest): Promise<unknown>

  readonly schedules: ClientSchedules

  /** Any other route, by its path. */
  get(path: string, query?: Query): Promise<unknown>
  post(path: string, body?: object): Promise<unknown>
  delete(path: string, query?: Query): Promise<unknown>
}

/** What starts runs at a time or after an event. */
export interface ClientSchedules {
  list(): Promise<ScheduleList>
  /** All of them, now and after each change, until the signal aborts. */
  changes(options: Streamed): AsyncIterable<ScheduleList>
  /** With its newest ticks. */
  get(schedule: string): Promise<Schedule>
  add(request: NewScheduleRequest): Promise<AddedSchedule>
  remove(schedule: string): Promise<{ readonly removed: string; readonly name: string }>
  pause(schedule: string, request?: SchedulePauseRequest): Promise<Schedule>
  resume(schedule: string, request?: SchedulePauseRequest): Promise<Schedule>
  /** Starts a run now. */
  run(schedule: string, request?: SchedulePauseRequest): Promise<Schedule>
  pauseAll(request?: SchedulePauseRequest): Promise<ScheduleList>
  resumeAll(request?: SchedulePauseRequest): Promise<ScheduleList>
}

/** The path of a run, or of one of its sub-resources. */
export const runPath = (run: string, ...more: readonly string[]): string =>
  ['/runs', run, ...more].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join('/')
