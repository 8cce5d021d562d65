export { openScheduler, type SchedulerOptions } from './open-scheduler.ts'
