export { type NewRunRequest, newRunSchema } from './new-run.ts'
export { type QueueEntry, type QueuePolicy, queueEntrySchema } from './queue.ts'
