/**
 * The default progress for loop types that do not define their own: the last few outputs, and of each
 * its end. The complete history stays in the journal.
 */

export interface ProgressEntry {
  readonly iteration: number
  readonly text: string
}

/** Progress that is captured automatically. */
export interface SystemProgress {
  readonly entries: readonly ProgressEntry[]
}

export interface CaptureLimits {
  readonly entriesMax: number
  readonly charsMax: number
}

export const captureLimits: CaptureLimits = { entriesMax: 5, charsMax: 500 }

const mark = '...[truncated]...\n'

/** The end of a text, where errors and results usually are. Never longer than `charsMax`. */
export function keepEnd(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  if (charsMax <= mark.length) return wholeCharacters(text.slice(text.length - charsMax))
  return mark + wholeCharacters(text.slice(text.length - (charsMax - mark.length)))
}

/** Drops half of a surrogate pair at the start. */
function wholeCharacters(text: string): string {
  const first = text.charCodeAt(0)
  return first >= 0xdc00 && first <= 0xdfff ? text.slice(1) : text
}

/** Adds what an iteration produced and drops the oldest beyond the limit. */
export function captureProgress(
  previous: SystemProgress | undefined,
  entry: ProgressEntry,
  limits: CaptureLimits = captureLimits,
): SystemProgress {
  const kept = { iteration: entry.iteration, text: keepEnd(entry.text, limits.charsMax) }
  const entries = [...(previous?.entries ?? []), kept]
  return { entries: entries.slice(Math.max(0, entries.length - limits.entriesMax)) }
}

/** Progress as text for a prompt. */
export function renderProgress(progress: SystemProgress | undefined): string {
  return (progress?.entries ?? [])
    .map((entry) => `## Iteration ${entry.iteration}\n${entry.text}`)
    .join('\n\n')
}
