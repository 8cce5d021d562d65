export { createCallerEnvironments } from './caller-environments.ts'
export { openScheduler, type SchedulerOptions } from './open-scheduler.ts'
