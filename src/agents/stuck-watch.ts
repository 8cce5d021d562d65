/**
 * Detects an agent that is stuck in a loop.
 *
 * Two calls are the same if tool and arguments are, whatever the order of the keys. A call brings
 * news if this tool, with these arguments, never returned this result before; numbers in a result
 * are ignored, since times and durations always differ. A call is repeated as often as it was made
 *   1. consecutively, with no other call in between, whatever its result, or
 *   2. since the last news, so that loops of several calls (A B A B) are detected too.
 * Work that makes progress is never counted: an edit between two runs of the same failing test is
 * news.
 */

import { createHash } from 'node:crypto'
import type { Json } from '../loop/index.ts'
import type { CallResult, ToolCall } from './conversation.ts'

export const nudgeAt = 3
export const stopAt = 6

export interface StuckWatch {
  /** How often this call has been repeated by now; 1 is the first time. */
  record(call: ToolCall, result: CallResult): number
}

export function createStuckWatch(): StuckWatch {
  const known = new Set<string>()
  let sinceNews = new Map<string, number>()
  let streak = { key: '', times: 0 }
  return {
    record(call, result) {
      const key = digest(`${call.name}\n${call.problem ?? canonicalText(call.args)}`)
      const outcome = digest(`${key}${result.ok}${result.text.replaceAll(/\d+/g, '#')}`)
      streak = { key, times: streak.key === key ? streak.times + 1 : 1 }
      if (!known.has(outcome)) {
        known.add(outcome)
        sinceNews = new Map()
      }
      const times = (sinceNews.get(key) ?? 0) + 1
      sinceNews.set(key, times)
      return Math.max(streak.times, times)
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
