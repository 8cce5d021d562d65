/**
 * Experiment mode: a command that measures the work in each iteration, before the checks. It runs in the sandbox and writes JSON to the
 * file `LOOP_METRICS_OUT`. The numbers are shown to the agent and kept in the run folder; they decide nothing. Pure.
 */

import type { Json } from '../../loop/index.ts'
import { quote } from '../quote.ts'

export interface MeasureSettings {
  readonly command: string
  readonly timeoutMs: number
}

/** The result of the step: what run folders and prompts show. */
export interface Measurement {
  readonly iteration: number
  readonly exitCode: number | null
  readonly durationMs: number
  /** What the command wrote to `LOOP_METRICS_OUT`; null: nothing, or not JSON. */
  readonly metrics: Json
  /** Why there are no metrics. */
  readonly problem?: string
  /** The end of what it printed. */
  readonly output: string
}

export const metricsCharsMax = 20_000
const outputCharsMax = 2000
const shownMax = 20

export interface MeasuredCommand {
  readonly exitCode: number | undefined
  readonly durationMs: number
  readonly output: string
  /** The content of the file; undefined: it wrote none. */
  readonly metrics: string | undefined
}

export function toMeasurement(iteration: number, ran: MeasuredCommand): Measurement {
  const { exitCode = null, durationMs } = ran
  const output = ran.output.trim().slice(-outputCharsMax)
  const common = { iteration, exitCode, durationMs, output }
  const fail = (problem: string): Measurement => ({ ...common, metrics: null, problem })
  if (ran.metrics === undefined || ran.metrics.trim() === '') {
    return fail('the command wrote nothing to LOOP_METRICS_OUT')
  }
  if (ran.metrics.length > metricsCharsMax) {
    return fail(`the metrics have more than ${metricsCharsMax} characters`)
  }
  try {
    return { ...common, metrics: JSON.parse(ran.metrics) as Json }
  } catch {
    return fail('the metrics are not JSON')
  }
}

/** The newest measurements, as progress keeps them. */
export const addMeasurement = (
  before: readonly Measurement[],
  added: Measurement,
): readonly Measurement[] => [...before, { ...added, output: '' }].slice(-shownMax)

/** As a prompt shows them; empty if there are none. */
export function describeMeasurements(all: readonly Measurement[]): string {
  if (all.length === 0) return ''
  const lines = all.map(
    ({ iteration, metrics, problem }) =>
      `after iteration ${iteration}: ${problem ?? JSON.stringify(metrics).slice(0, 500)}`,
  )
  return quote(lines.join('\n'))
}
