/** The levels of loops as text for a terminal. */

import { plural } from '../../loop/excerpt/plural.ts'
import { type Level, levelNames } from '../../loop/index.ts'
import type { FoundEscape, LevelEntry, LevelStanding } from '../../protocol/api/index.ts'
import { renderTime, visible } from './render.ts'

export function renderLevels(
  items: readonly LevelStanding[],
  escapes: readonly FoundEscape[],
  /** The only loop that is shown, in detail. */
  loop?: string,
): string {
  const found = escapes.map(
    ({ run, kind, reason }) => `Found now: ${kind} of ${run} turned out to be wrong: ${reason}`,
  )
  if (items.length === 0) {
    const nothing =
      loop === undefined
        ? 'No loop has a level yet.'
        : `No loop "${loop}" has a level yet. List those that have one: loopctl levels`
    return [...found, nothing].map(visible).join('\n')
  }
  const shown = items.map((item) => renderStanding(item, loop !== undefined))
  return [...found.map(visible), ...shown].join('\n\n')
}

export function renderStanding(item: LevelStanding, isDetailed: boolean): string {
  const { loop, repository, kind, level, ceiling, earns, next, missing, proposed, history } = item
  const at = ceiling === undefined ? '' : `, at most ${levelNames[ceiling]}`
  const where = repository === undefined ? '' : ` in ${repository}`
  const wins = missing.length > 0 || next === undefined
  return [
    `${loop}, ${kind}${where}`,
    `  level     ${levelNames[level]}${at}${earns ? ', earned' : ''}`,
    `  evidence  ${describeEvidence(item)}`,
    ...(next === undefined ? [] : [`  for ${levelNames[next]}: ${describeBar(item, next)}`]),
    ...(wins ? missing.map((one) => `    missing: ${one}`) : []),
    ...(proposed === undefined
      ? []
      : [
          `  proposed: ${levelNames[proposed]}. Accept it: loopctl levels accept ${loop} --kind ${kind}`,
        ]),
    ...history.slice(0, isDetailed ? history.length : 1).map((one) => `  ${renderEntry(one)}`),
  ]
    .map(visible)
    .join('\n')
}

/** Absent: what was asked for is allowed. */
export const describeCeiling = (
  { ceiling }: { readonly ceiling?: Level | undefined },
  wanted: Level | undefined,
): string | undefined =>
  ceiling === undefined || wanted === undefined || wanted <= ceiling
    ? undefined
    : `The loop file allows level ${ceiling} at most, so its runs stay there. To allow more, change its key "level".`

const describeEvidence = ({
  evidence: { trials, successes, lower, confidence },
}: LevelStanding): string =>
  trials === 0
    ? 'no finished round'
    : `${successes} of ${trials} rounds verified; at least ${percent(lower)} % with ${percent(confidence)} % confidence`

function describeBar({ bars }: LevelStanding, next: 1 | 2 | 3): string {
  if (next === 1) return ''
  const { bar, minimum } = bars[next]
  return `at least ${percent(bar)} % in ${plural(minimum, 'round')} or more, and a checker that accepts at most ${percent(bars.falseAcceptsMax)} % of planted defects`
}

const percent = (share: number): string => `${Math.floor(share * 1000 + 1e-9) / 10}`

/** For example: `2026-11-20 10:00  L3-unattended became L2-assisted (escape) by evidence: …`. */
export function renderEntry({ cause, from, level, by, reason, atMs }: LevelEntry): string {
  const at = renderTime(atMs).slice(0, 16).replace('T', ' ')
  const what =
    from === level ? levelNames[level] : `${levelNames[from]} became ${levelNames[level]}`
  return `${at}  ${what} (${cause}) by ${by}: ${reason}`
}
