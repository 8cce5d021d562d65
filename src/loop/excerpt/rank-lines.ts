/** Ranks the lines of an output; the lowest rank is the most informative. Lines are plain and not blank. */

import { generic, noise, type RunnerOutput, runnerOutputs } from './runners.ts'

/** The first failure and the summary come first; the rest follows in the order of the table. */
export const ranks = {
  firstFailure: 0,
  summary: 1,
  aroundFirst: 2,
  failure: 3,
  detail: 4,
  end: 5,
  beginning: 6,
  around: 7,
  complaint: 8,
  other: 9,
  noise: 10,
} as const

export type Rank = (typeof ranks)[keyof typeof ranks]

const blockLinesMax = 60
/** If the end of a failure is unknown. */
const unknownLinesMax = 6
const beginningLines = 3
const endLines = 12
/** One failure must not crowd out the others, and a list of names must not crowd out a failure. */
const detailsMax = 25
const summariesMax = 15

/** `to` is exclusive. */
interface Failure {
  readonly by: RunnerOutput
  readonly at: number
  readonly from: number
  readonly to: number
}

export function rankLines(lines: readonly string[]): readonly Rank[] {
  const known = runnerOutputs.filter(({ sign }) => lines.some((line) => sign.test(line)))
  const runners = known.length > 0 ? known : [generic]
  const found = lines.map((line, at): Rank => rankPosition(line, at, lines.length))
  const raise = (at: number, rank: Rank): void => {
    if ((found[at] ?? ranks.noise) > rank) found[at] = rank
  }
  rankSummaries(lines, runners, raise)
  const { failures, repeated } = findFailures(lines, runners)
  for (const { from, to } of repeated) found.fill(ranks.noise, from, to)
  const first = failures.find((failure) => hasDetail(lines, failure)) ?? failures[0]
  for (const failure of failures) rankFailure(lines, failure, failure === first, raise)
  return found
}

function rankPosition(line: string, at: number, count: number): Rank {
  if (noise.test(line)) return ranks.noise
  // Usually the command that was started.
  if (at === 0) return ranks.summary
  if (at >= count - endLines) return ranks.end
  if (at < beginningLines) return ranks.beginning
  return generic.failure.test(line) ? ranks.complaint : ranks.other
}

type Raise = (at: number, rank: Rank) => void

function rankSummaries(
  lines: readonly string[],
  runners: readonly RunnerOutput[],
  raise: Raise,
): void {
  const isSummary = (line: string): boolean => runners.some(({ summary }) => summary.test(line))
  const positions = [...lines.keys()].filter((at) => isSummary(lines[at] ?? ''))
  const last = positions.slice(-summariesMax)
  for (const at of positions) raise(at, last.includes(at) ? ranks.summary : ranks.detail)
}

/** Failures that start with the same lines are duplicates: some runners repeat them at the end. */
const sameLines = 3

function findFailures(
  lines: readonly string[],
  runners: readonly RunnerOutput[],
): { readonly failures: readonly Failure[]; readonly repeated: readonly Failure[] } {
  const failures: Failure[] = []
  const repeated: Failure[] = []
  const seen = new Set<string>()
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const by = runners.find(({ failure }) => failure.test(line))
    if (by === undefined) continue
    const failure = {
      by,
      at,
      from: findFailureStart(lines, by, at),
      to: findFailureEnd(lines, by, at),
    }
    const text = lines
      .slice(at, Math.min(failure.to, at + sameLines))
      .map((one) => one.trim())
      .join('\n')
    if (seen.has(text)) repeated.push(failure)
    else failures.push(failure)
    seen.add(text)
  }
  return { failures, repeated }
}

function findFailureStart(lines: readonly string[], { since }: RunnerOutput, at: number): number {
  if (since === undefined) return at
  const least = Math.max(0, at - blockLinesMax)
  for (let from = at - 1; from >= least; from--) if (since.test(lines[from] ?? '')) return from
  return at
}

function findFailureEnd(lines: readonly string[], by: RunnerOutput, at: number): number {
  const most = Math.min(lines.length, at + (by === generic ? unknownLinesMax : blockLinesMax))
  for (let to = at + 1; to < most; to++) {
    const line = lines[to] ?? ''
    if (by.failure.test(line) || by.summary.test(line) || by.end?.test(line) === true) return to
  }
  return most
}

const hasDetail = (lines: readonly string[], { by, at, from, to }: Failure): boolean =>
  lines.slice(from, to).some((line, index) => from + index !== at && by.detail.test(line))

function rankFailure(
  lines: readonly string[],
  { by, at, from, to }: Failure,
  isFirst: boolean,
  raise: Raise,
): void {
  raise(at, isFirst ? ranks.firstFailure : ranks.failure)
  let details = 0
  for (let index = from; index < to; index++) {
    const line = lines[index] ?? ''
    if (index === at || noise.test(line)) continue
    if (by.detail.test(line) && details < detailsMax) {
      details++
      raise(index, isFirst ? ranks.firstFailure : ranks.detail)
    } else raise(index, isFirst ? ranks.aroundFirst : ranks.around)
  }
}
