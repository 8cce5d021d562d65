/** Findings in words, for the log, questions and the debrief. */

import type { Baseline, MeasuredEdit } from '../tune-state.ts'
import { percent, points } from './numbers.ts'

export function describeNoise({ noise, visibleGain: visible }: Baseline): string {
  const gain = `This suite can prove a gain of about ${points(visible)}.`
  if (noise === undefined)
    return `Its noise is not known, because too few runs were scored. ${gain}`
  const flaky = noise.flaky.length === 0 ? 'none' : noise.flaky.join(', ')
  return `One pass differs from the next by ${percent(noise.passDeviation)} (standard deviation). Flaky: ${flaky}. ${gain}`
}

export function describeVerdict({ options }: Pick<MeasuredEdit, 'options'>): string {
  const all = options.map(({ option: { id }, result }) => {
    const delta = result.estimate === undefined ? '' : ` (${points(result.estimate.delta)})`
    return result.type === 'kept'
      ? `${id} kept, not proven${delta}`
      : `${id} dropped: ${result.reason}${delta}`
  })
  return all.join('; ')
}
