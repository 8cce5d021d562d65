/**
 * Notices an agent that goes round in circles.
 *
 * Two calls are the same when tool and arguments are, whatever the order of the keys. A call brings
 * news when this tool, with these arguments, never gave this result before; numbers in a result do
 * not count, since times and durations always differ. A call repeats itself as often as it was made
 *   1. in a row, with no other call in between, whatever came of it, or
 *   2. since the last news, so that circles of several calls (A B A B) are seen too.
 * Work that gets somewhere is never counted: an edit between two runs of the same failing test is news.
 */

import { createHash } from 'node:crypto'
import type { Json } from '../loop/index.ts'
import type { CallResult, ToolCall } from './conversation.ts'

export const nudgeAt = 3
export const stopAt = 6

export interface StuckWatch {
  /** How often this call has now repeated itself; 1 is once. */
  saw(call: ToolCall, result: CallResult): number
}

export function createStuckWatch(): StuckWatch {
  const known = new Set<string>()
  let sinceNews = new Map<string, number>()
  let row = { key: '', times: 0 }
  return {
    saw(call, result) {
      const key = digest(`${call.name}\n${call.problem ?? canonicalText(call.args)}`)
      const came = digest(`${key}${result.ok}${result.text.replaceAll(/\d+/g, '#')}`)
      row = { key, times: row.key === key ? row.times + 1 : 1 }
      if (!known.has(came)) {
        known.add(came)
        sinceNews = new Map()
      }
      const times = (sinceNews.get(key) ?? 0) + 1
      sinceNews.set(key, times)
      return Math.max(row.times, times)
    },
  }
}

const digest = (text: string): string => createHash('sha1').update(text).digest('base64')

function canonicalText(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
