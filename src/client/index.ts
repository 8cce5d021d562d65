export type { NewRunRequest, QueueEntry } from '../protocol/api/index.ts'
export type {
  Client,
  DaemonInfo,
  Fields,
  InspectedRun,
  ListedRun,
  Page,
  Query,
  ResumeRequest,
  RunsFilter,
  Streamed,
} from './client.ts'
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
export { GoneError } from './transport.ts'
export { type HealthWait, isHealthy, waitForHealth } from './wait-for-health.ts'
