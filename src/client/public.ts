/** What `loopwright/client` exports: the HTTP client of a daemon. */

export type { RecordedEvent } from '../loop/index.ts'
export type {
  DaemonInfo,
  ForkRequest,
  InboxQuestion,
  NewRunRequest,
  OutputEntry,
  Panel,
  Preview,
  QueueEntry,
  ResumeRequest,
  RetryRequest,
  RunAnswer,
  RunDetail,
  RunPanels,
} from '../protocol/api/index.ts'
export type { Client, Query, RunsFilter, Streamed } from './client.ts'
export type { Break } from './follow.ts'
export { type Connection, connect } from './node/connect.ts'
export {
  clientOf as connectToDaemon,
  type DaemonFile,
  readDaemonFile,
  readToken,
} from './node/find-daemon.ts'
export { type ReconnectOptions, steadyClient } from './steady-client.ts'
export { DaemonGoneError } from './transport.ts'
