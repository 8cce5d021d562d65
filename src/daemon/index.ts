export { createDaemon } from './create-daemon.ts'
export type { Log, Scheduler } from './parts.ts'
export { createCallerEnvironments, openScheduler, type SchedulerOptions } from './queue/index.ts'
export { createRoutes, operations } from './routes/index.ts'
