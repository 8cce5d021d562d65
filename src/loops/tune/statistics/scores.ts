/**
 * Scores of cases: what every decision of the tune loop is made from.
 *
 * A score is between 0 and 1; pass and fail are 1 and 0. A run that ended without a score (the machine failed, not the
 * case) is not in the list: it never counts as a failure. Lists of cases may be in any order: decisions pair them by id.
 * All of it is JSON.
 */

export interface CaseScores {
  readonly id: string
  /** One for each repeat that was scored, in the order of the runs. */
  readonly scores: readonly number[]
}

/** The scores of one version of the artifact. Ids are unique. */
export type SuiteScores = readonly CaseScores[]

/** Scores of one case under two versions, both with at least one score. */
export interface ScorePair {
  readonly id: string
  readonly before: readonly number[]
  readonly after: readonly number[]
}

/** The cases that both versions have scores of, in the order of `after`. */
export function pairScores(before: SuiteScores, after: SuiteScores): readonly ScorePair[] {
  const known = new Map(before.map(({ id, scores }) => [id, scores]))
  const pairs: ScorePair[] = []
  for (const { id, scores } of after) {
    const earlier = known.get(id)
    if (earlier === undefined || earlier.length === 0 || scores.length === 0) continue
    pairs.push({ id, before: earlier, after: scores })
  }
  return pairs
}

/** Adds runs to the scores of their cases. Cases that had none follow at the end. */
export function addScores(suite: SuiteScores, more: SuiteScores): SuiteScores {
  const merged = new Map(suite.map(({ id, scores }) => [id, scores]))
  for (const { id, scores } of more) merged.set(id, [...(merged.get(id) ?? []), ...scores])
  return [...merged].map(([id, scores]) => ({ id, scores }))
}

/** A case passes if it was scored and all of its repeats pass. */
export const passes = ({ scores }: CaseScores): boolean =>
  scores.length > 0 && scores.every((score) => score === 1)

export function meanOf(scores: readonly number[]): number {
  let sum = 0
  for (const score of scores) {
    if (!(score >= 0 && score <= 1)) throw new RangeError(`a score is ${score}, not from 0 to 1`)
    sum += score
  }
  return sum / scores.length
}

/** Sample variance; undefined for a single score. */
export function varianceOf(scores: readonly number[], mean: number): number | undefined {
  if (scores.length < 2) return undefined
  let squares = 0
  for (const score of scores) squares += (score - mean) ** 2
  return squares / (scores.length - 1)
}

export function rangeOf(scores: readonly number[]): number {
  let low = 1
  let high = 0
  for (const score of scores) {
    if (score < low) low = score
    if (score > high) high = score
  }
  return Math.max(0, high - low)
}
