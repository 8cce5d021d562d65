/** JSON of a row that only one reader understands. */

import type { Json } from '../../loop/index.ts'

/** A damaged row must not block the others: it is read as null, which its reader refuses, and `check` names it. */
export function readStoredJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
