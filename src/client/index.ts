export type {
  AgentStatus,
  DaemonInfo,
  InboxQuestion,
  NewRunRequest,
  OutputEntry,
  Preview,
  QueueEntry,
  RunAnswer,
  RunDetail,
} from '../protocol/api/index.ts'
export { type Client } from './client.ts'
export type { Break } from './follow.ts'
export { clientOf, type DaemonFile } from './node/find-daemon.ts'
export { waitForHealth } from './wait-for-health.ts'
