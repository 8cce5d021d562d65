/**
 * Cursors of pages, opaque to clients. A cursor contains positions in the journal, which never change, so it
 * stays valid whatever is written meanwhile.
 */

import { LoopError } from '../../loop/index.ts'

export interface PageOptions {
  readonly limit?: number
  readonly cursor?: string
}

export const pageLimit = 100

export const toCursor = (...positions: readonly (number | string)[]): string =>
  Buffer.from(JSON.stringify(positions), 'utf8').toString('base64url')

/** Returns the numbers in a cursor. Throws `bad-request`. */
export function fromCursor(cursor: string | undefined, count: number): readonly number[] {
  if (cursor === undefined) return Array.from({ length: count }, () => 0)
  const positions = parse(cursor)
  if (positions.length === count && positions.every(isPosition)) return positions
  throw createBadCursorError()
}

/** Returns any values in a cursor. Throws `bad-request`. */
export function parseCursor(cursor: string): readonly unknown[] {
  return parse(cursor)
}

export const createBadCursorError = (): LoopError =>
  new LoopError(
    'bad-request',
    'The cursor does not belong to this list. Pass the "next" of the previous page, or none.',
  )

function parse(cursor: string): readonly unknown[] {
  try {
    const positions: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(positions)) return positions
  } catch {
    // Invalid, see below.
  }
  throw createBadCursorError()
}

const isPosition = (place: unknown): place is number => Number.isSafeInteger(place)
