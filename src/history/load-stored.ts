/** What a record holds of a value: in the event itself, or beside it where it is large. */

export { load as loadStored } from '../engine/index.ts'
