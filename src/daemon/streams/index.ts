export { endStreams, streamRunEvents, streamStoreEvents } from './stream-events.ts'
export { streamOutput } from './stream-output.ts'
