/**
 * Reads the entries of a `LOOP_LOG.md`. Only the comment right below the heading of a section counts, so that nothing that a case, a
 * judge or a model wrote into an entry can become one. Pure.
 */

import type { LogEntry } from './log-entry.ts'
import { logEntrySchema } from './log-entry-schema.ts'
import { entryEnd, entryMark } from './write-log.ts'

const charsMax = 50_000_000

/** A text: what is wrong with it. */
export function parseLog(text: string): readonly LogEntry[] | string {
  if (text.length > charsMax) return `it has more than ${charsMax} characters`
  const lines = text.split(/\r?\n/)
  if (lines[0]?.trim() !== '# Loop log') return 'it does not start with "# Loop log"'
  const entries: LogEntry[] = []
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('## ')) continue
    const written = lines.slice(at + 1, at + 3).find((one) => one !== '') ?? ''
    if (!written.startsWith(entryMark) || !written.endsWith(entryEnd)) continue
    const entry = toEntry(written.slice(entryMark.length, -entryEnd.length))
    if (entry === undefined)
      return `line ${at + 1}: the entry "${line.slice(3, 80)}" cannot be read`
    entries.push(entry)
  }
  if (entries.length === 0) return 'it has no entry that a loop wrote'
  return entries
}

function toEntry(json: string): LogEntry | undefined {
  try {
    return logEntrySchema.safeParse(JSON.parse(json)).data
  } catch {
    return undefined
  }
}
