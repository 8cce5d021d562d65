/** Durations as people write them: a number with its unit. */

const unitMs: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

export const durationPattern: RegExp = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)$/

/** In milliseconds; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = durationPattern.exec(text) ?? []
  const factor = unitMs.get(unit)
  return factor === undefined ? undefined : Math.round(Number(amount) * factor)
}
