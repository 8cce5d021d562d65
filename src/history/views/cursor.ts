/**
 * Where a page goes on, as clients see it: a text that says nothing to them. It holds places in the record,
 * which never move, so that it stays good whatever is written meanwhile.
 */

import { LoopError } from '../../loop/index.ts'

export interface PageOptions {
  readonly limit?: number
  readonly cursor?: string
}

export const pageLimit = 100

export const toCursor = (...places: readonly (number | string)[]): string =>
  Buffer.from(JSON.stringify(places), 'utf8').toString('base64url')

/** The numbers that one was made of. Throws `bad-request`. */
export function fromCursor(cursor: string | undefined, count: number): readonly number[] {
  if (cursor === undefined) return Array.from({ length: count }, () => 0)
  const places = parse(cursor)
  if (places.length === count && places.every(isPlace)) return places
  throw notOurs()
}

/** Any values. Throws `bad-request`. */
export function parseCursor(cursor: string): readonly unknown[] {
  return parse(cursor)
}

export const notOurs = (): LoopError =>
  new LoopError(
    'bad-request',
    'The cursor is not one that was given out for this list. Give the "next" of the page before, or none.',
  )

function parse(cursor: string): readonly unknown[] {
  try {
    const places: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(places)) return places
  } catch {
    // Not ours, as below.
  }
  throw notOurs()
}

const isPlace = (place: unknown): place is number => Number.isSafeInteger(place)
