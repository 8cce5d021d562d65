/**
 * Reads a `LOOP_PLAN.md`, whether the loop or a person wrote it. A person may leave out what they have nothing to say about, except
 * for a hypothesis: without a prediction nothing can be learned. Pure.
 */

import type { Plan, PlannedHypothesis, Rating } from './plan.ts'

const charsMax = 200_000

/** A text: what is wrong with it. */
export function parsePlan(text: string): Plan | string {
  if (text.length > charsMax) return `it has more than ${charsMax} characters`
  const sections = readSections(text)
  const items = (title: string) => itemsOf(sections.get(title) ?? [])
  const hypotheses = items('hypotheses').map(toHypothesis)
  const wrong = hypotheses.find((one) => typeof one === 'string')
  if (typeof wrong === 'string') return wrong
  if (hypotheses.length === 0) {
    return 'it has no hypothesis: add a section "## Hypotheses" with "1. <hypothesis>" and "- Prediction: <what it should improve>"'
  }
  const criteria = bulletsOf(sections.get('success criteria') ?? [])
  const valueOf = (name: string) => fieldOf(criteria, name)
  const target = /^(\d+(?:\.\d+)?)\s*%/.exec(valueOf('Target') ?? '')?.[1]
  return {
    problem: (sections.get('problem') ?? []).join(' ').trim(),
    failureContext: bulletsOf(sections.get('failure context') ?? []),
    // In the order of the plan: experiments refer to their numbers.
    hypotheses: hypotheses.filter((one) => typeof one !== 'string'),
    experiments: items('experiments').map(({ title, fields }) => ({
      hypothesis: Number(/\d+/.exec(title)?.[0] ?? 1),
      file: fieldOf(fields, 'File') ?? '',
      section: fieldOf(fields, 'Section') ?? '',
      current: fieldOf(fields, 'Current') ?? '',
      change: fieldOf(fields, 'Change') ?? '',
    })),
    focus: bulletsOf(sections.get('focus cases') ?? []),
    guards: bulletsOf(sections.get('regression guards') ?? []),
    exclusions: bulletsOf(sections.get('exclusions') ?? []).map((line) => {
      const [, id = line, reason = ''] = /^(.+?): (.*)$/.exec(line) ?? []
      return { id, reason }
    }),
    criteria: {
      ...(target === undefined ? {} : { target: Math.min(1, Number(target) / 100) }),
      minimum: valueOf('Minimum') ?? '',
      qualitative: valueOf('Qualitative') ?? '',
      exits: criteria.flatMap((line) => /^Exit: (.*)$/.exec(line)?.[1] ?? []),
    },
  }
}

/** Lines by the title of their section, in lower case. The first section of a title counts. */
function readSections(text: string): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>()
  let lines: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const title = /^## +(.*?)\s*$/.exec(line)?.[1]?.toLowerCase()
    if (title === undefined) {
      if (line.trim() !== '') lines.push(line)
      continue
    }
    lines = []
    if (!sections.has(title)) sections.set(title, lines)
  }
  return sections
}

interface Item {
  readonly title: string
  readonly fields: readonly string[]
}

/** `1. title` with indented bullets. */
function itemsOf(lines: readonly string[]): readonly Item[] {
  const items: { title: string; fields: string[] }[] = []
  for (const line of lines) {
    const title = /^\d{1,3}\. +(.*?)\s*$/.exec(line)?.[1]
    if (title !== undefined) items.push({ title, fields: [] })
    else {
      const field = /^\s+- +(.*?)\s*$/.exec(line)?.[1]
      if (field !== undefined) items.at(-1)?.fields.push(field)
    }
  }
  return items
}

const bulletsOf = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /^- +(.*?)\s*$/.exec(line)?.[1] ?? [])

const fieldOf = (lines: readonly string[], name: string): string | undefined =>
  lines
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim()

function toHypothesis({ title, fields }: Item): PlannedHypothesis | string {
  const prediction = fieldOf(fields, 'Prediction') ?? ''
  if (prediction === '') {
    return `the hypothesis "${title.slice(0, 80)}" has no prediction: add "- Prediction: <what it should improve>" below it`
  }
  return {
    statement: title,
    prediction,
    likelihood: toRating(fieldOf(fields, 'Likelihood')),
    testability: toRating(fieldOf(fields, 'Testability')),
    impact: toRating(fieldOf(fields, 'Impact')),
  }
}

const toRating = (text = ''): Rating => {
  const word = text.toLowerCase()
  return word === 'high' || word === 'low' ? word : 'medium'
}
