export type {
  DaemonParts,
  DaemonSettings,
  EnqueueOptions,
  Log,
  Scheduler,
  Scope,
  Submitted,
} from './parts.ts'
