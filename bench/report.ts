/** What a measurement or proof is, and its results. */

export interface Result {
  /** `area.what`: the area is a folder of `src/`, a loop type, `docs` or `package`. */
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly target: string
  readonly ok: boolean
  /** What the figure was made from, for people. */
  readonly detail?: string
}

export interface Suite {
  /** What `--only` selects by. */
  readonly area: string | readonly string[]
  /** What it measures, for the list and for progress. Unique within its area. */
  readonly title: string
  /** How much of the whole a default run does; default: 1. `--full` does all of it. */
  readonly share?: number
  run(options: SuiteOptions): Promise<readonly Result[]>
}

export interface SuiteOptions {
  /** How much of the whole to do: 1 is what the targets are stated for. */
  readonly scale: number
  readonly seed: number | undefined
  /** A folder of public repositories; undefined: there is none on this machine. */
  readonly mirror?: string | undefined
  /** Names of some of them; undefined: all. */
  readonly repositories?: readonly string[] | undefined
  /** Makes one part of a suite. A resumed run takes what an interrupted one made; absent: nothing is kept. */
  part?<T>(name: string, make: () => Promise<T>): Promise<T>
  note(text: string): void
}

export const atMost = (
  name: string,
  value: number,
  limit: number,
  unit: string,
  detail?: string,
): Result => result(name, value, unit, `<=${limit}`, value <= limit, detail)

export const atLeast = (
  name: string,
  value: number,
  limit: number,
  unit: string,
  detail?: string,
): Result => result(name, value, unit, `>=${limit}`, value >= limit, detail)

function result(
  name: string,
  value: number,
  unit: string,
  target: string,
  ok: boolean,
  detail: string | undefined,
): Result {
  const rounded = Number(value.toPrecision(4))
  const base = { name, value: rounded, unit, target, ok }
  return detail === undefined ? base : { ...base, detail }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
