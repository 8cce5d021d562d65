export type { NewRunRequest, QueueEntry } from '../protocol/api/index.ts'
