export {
  createDaemon,
  type Daemon,
  type DaemonOptions,
  type StopOptions,
} from './create-daemon.ts'
export type {
  DaemonParts,
  DaemonSettings,
  EnqueueOptions,
  Log,
  Scheduler,
  Scope,
  Submitted,
} from './parts.ts'
