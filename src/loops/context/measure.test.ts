import { describe, expect, test } from 'vitest'
import {
  addMeasurement,
  describeMeasurements,
  type MeasuredCommand,
  toMeasurement,
} from './measure.ts'

const ran = (metrics: string | undefined): MeasuredCommand => ({
  exitCode: 0,
  durationMs: 1200,
  output: 'measured\n',
  metrics,
})

describe('a measurement', () => {
  test('has the metrics that the command wrote, or says why not', () => {
    expect(toMeasurement(3, ran('{"ms": 12}'))).toEqual({
      iteration: 3,
      exitCode: 0,
      durationMs: 1200,
      output: 'measured',
      metrics: { ms: 12 },
    })
    expect(toMeasurement(1, ran(undefined)).problem).toMatch(/wrote nothing/)
    expect(toMeasurement(1, ran('12 ms')).problem).toBe('the metrics are not JSON')
    expect(toMeasurement(1, ran(`"${'x'.repeat(30_000)}"`)).problem).toMatch(/more than/)
    expect(toMeasurement(1, { ...ran('1'), exitCode: undefined }).exitCode).toBeNull()
  })

  test('is shown in prompts', () => {
    const one = toMeasurement(1, ran('{"ms": 12}'))
    const all = addMeasurement([one], toMeasurement(2, ran('')))
    expect(describeMeasurements(all)).toBe(
      '> after iteration 1: {"ms":12}\n> after iteration 2: the command wrote nothing to LOOP_METRICS_OUT',
    )
    expect(describeMeasurements([])).toBe('')
  })

  test('is kept for a limited number of iterations', () => {
    let kept: readonly ReturnType<typeof toMeasurement>[] = []
    for (let at = 1; at <= 50; at++) kept = addMeasurement(kept, toMeasurement(at, ran('1')))
    expect(kept).toHaveLength(20)
    expect(kept.at(-1)?.iteration).toBe(50)
  })
})
