/** Pages of events: of a run by seq, of all runs by position. */

import type { EventType, RecordedEvent, RunId } from '../../loop/index.ts'
import type { Page } from '../../protocol/api/page.ts'
import { fromCursor, type PageOptions, pageLimit, toCursor } from './cursor.ts'
import type { RecordSource } from './record-source.ts'

export interface EventPageOptions extends PageOptions {
  /** Starts after this event if there is no cursor. */
  readonly after?: number
}

/** A page of large events ends early. */
const bytesMax = 4 * 1024 * 1024

export async function viewEvents(
  { journal }: Pick<RecordSource, 'journal'>,
  run: RunId,
  options: EventPageOptions & { readonly types?: readonly EventType[] } = {},
): Promise<Page<RecordedEvent>> {
  const { limit = pageLimit, cursor, after = 0, types } = options
  const [position = 0] = cursor === undefined ? [after] : fromCursor(cursor, 1)
  const range = { afterSeq: position, limit, bytesMax }
  const items = await journal.read(run, types === undefined ? range : { ...range, types })
  const last = items.at(-1)
  if (last === undefined) return { items }
  const { lastSeq } = await journal.findRun(run)
  return { items, ...(last.seq < lastSeq ? { next: toCursor(last.seq) } : {}) }
}

export async function viewStoreEvents(
  { journal }: Pick<RecordSource, 'journal'>,
  { limit = pageLimit, cursor, after = 0 }: EventPageOptions = {},
): Promise<Page<RecordedEvent>> {
  const [position = 0] = cursor === undefined ? [after] : fromCursor(cursor, 1)
  const items = await journal.readStore({ afterPosition: position, limit, bytesMax })
  const last = items.at(-1)
  if (last === undefined) return { items }
  const end = await journal.lastPosition()
  return { items, ...(last.position < end ? { next: toCursor(last.position) } : {}) }
}
