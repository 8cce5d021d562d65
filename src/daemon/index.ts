export { createDaemon, type Daemon, type DaemonOptions } from './create-daemon.ts'
export type { StopOptions } from './ending.ts'
export type {
  DaemonParts,
  DaemonSettings,
  EnqueueOptions,
  Log,
  Scheduler,
  Scope,
  Submitted,
} from './parts.ts'
export { createRoutes, type Operation, operations } from './routes/index.ts'
export { createCallerEnvironments, openScheduler, type SchedulerOptions } from './schedule/index.ts'
