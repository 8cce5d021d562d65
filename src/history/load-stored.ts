/** Loads a value of an event: from the event itself, or from a blob if it is large. */

export { load as loadStored } from '../engine/index.ts'
