export type {
  AgentSeen,
  DaemonInfo,
  ForkRequest,
  InboxQuestion,
  NewRunRequest,
  OutputEntry,
  Preview,
  QueueEntry,
  ResumeRequest,
  RetryRequest,
  RunAnswer,
  RunDetail,
} from '../protocol/api/index.ts'
export { type Client, type Query, type RunsFilter, runPath, type Streamed } from './client.ts'
export { type Connection, connect } from './connect.ts'
export {
  clientOf,
  type DaemonFile,
  daemonFolder,
  readDaemonFile,
  readToken,
} from './find-daemon.ts'
export type { Break } from './follow.ts'
export { type StartedDaemon, type StartOptions, startDaemon } from './start-daemon.ts'
export { type ReconnectOptions, steadyClient } from './steady-client.ts'
export { DaemonGoneError } from './transport.ts'
export { type HealthWait, isHealthy, waitForHealth } from './wait-for-health.ts'
