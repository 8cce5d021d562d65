/** What `npm run bench` and `npm run proof` print, and how they are asked. */

import { parseArgs } from 'node:util'

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
  readonly area: string
  /** What it measures, for the list and for progress. */
  readonly title: string
  run(options: SuiteOptions): Promise<readonly Result[]>
}

export interface SuiteOptions {
  /** How much of the whole to do: 1 is what the issue asks for. */
  readonly scale: number
  readonly seed: number | undefined
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

/** Runs the suites that were asked for; the exit code says whether all figures were reached. */
export async function runSuites(command: string, suites: readonly Suite[]): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      scale: { type: 'string', default: '1' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const note = (text: string): void => void process.stderr.write(`${text}\n`)
  const areas = [...new Set(suites.map((suite) => suite.area))]
  if (values.help) return note(usage(command, areas))
  const { only } = values
  const chosen = suites.filter((suite) => only === undefined || suite.area === only)
  if (chosen.length === 0) {
    note(`There is nothing to measure in "${only}". Areas: ${areas.join(', ')}`)
    process.exitCode = 64
    return
  }
  const seed = values.seed === undefined ? undefined : Number(values.seed)
  const results: Result[] = []
  for (const suite of chosen) {
    note(`${suite.area}: ${suite.title}`)
    results.push(...(await suite.run({ scale: Number(values.scale), seed, note })))
  }
  print(results, values.json)
  if (results.some((one) => !one.ok)) process.exitCode = 1
}

function print(results: readonly Result[], json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ results })}\n`)
    return
  }
  for (const { name, value, unit, target, ok, detail } of results) {
    const line = `${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(36)} ${value} ${unit}  (${target})`
    process.stdout.write(`${line}${detail === undefined ? '' : `  ${detail}`}\n`)
  }
}

const usage = (command: string, areas: readonly string[]): string =>
  `npm run ${command} -- [--json] [--only <area>] [--scale <share>] [--seed <n>]\n` +
  `areas: ${areas.join(', ')}\n` +
  '--scale 0.1 does a tenth of the repetitions; figures are stated for 1.'
