/** Reads the debrief of an earlier loop, as data: what it tried, what failed, what it learned. Pure. */

export interface PriorLoop {
  readonly failing: readonly string[]
  readonly passing: readonly string[]
  readonly tried: readonly { readonly text: string; readonly outcome: string }[]
  /** Sentences for the failure context. */
  readonly lessons: readonly string[]
}

const itemsMax = 50
const itemChars = 300

/** Any text: what is not found is empty. */
export function readPrior(debrief: string): PriorLoop {
  const trail = tableRows(sectionOf(debrief, 'Hypothesis audit trail'))
  const failing = bulletsOf(sectionOf(debrief, 'Failing cases')).map(
    (line) => /^(\S+?):(?:\s|$)/.exec(line)?.[1] ?? line,
  )
  const tried = trail.flatMap(([, text = '', , outcome = '']) =>
    outcome === '' ? [] : [{ text, outcome }],
  )
  const status = bulletsOf(sectionOf(debrief, 'Executive summary')).slice(0, 5)
  return {
    failing,
    passing: bulletsOf(sectionOf(debrief, 'Passing cases')),
    tried,
    lessons: [...status, ...bulletsOf(sectionOf(debrief, 'Insights'))].map(
      (line) => `From the earlier loop: ${line}`,
    ),
  }
}

function sectionOf(text: string, title: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  const from = lines.findIndex((line) => line.trim() === `## ${title}`)
  if (from === -1) return []
  const rest = lines.slice(from + 1)
  const to = rest.findIndex((line) => line.startsWith('## '))
  return (to === -1 ? rest : rest.slice(0, to)).slice(0, 2000)
}

const bulletsOf = (lines: readonly string[]): readonly string[] =>
  lines
    .flatMap((line) => (line.startsWith('- ') ? [line.slice(2).trim().slice(0, itemChars)] : []))
    .slice(0, itemsMax)

const tableRows = (lines: readonly string[]): readonly (readonly string[])[] =>
  lines
    .filter((line) => line.startsWith('|'))
    .slice(2, 2 + itemsMax)
    .map((line) =>
      line
        .slice(1)
        .replace(/\|\s*$/, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().slice(0, itemChars)),
    )
