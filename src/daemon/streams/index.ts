export {
  endStreams,
  placeOf,
  type StreamParts,
  streamRunEvents,
  streamStoreEvents,
} from './stream-events.ts'
export { streamOutput } from './stream-output.ts'
