/** The published form of a tuning loop's view. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { count, published } from '../values.ts'
import {
  flips,
  type TuneView,
  tunePhases,
  type ViewedCase,
  type ViewedOption,
} from './tune-view.ts'

const text = z.string()
const texts = z.array(text).readonly()
const number = z.number()
const list = <T>(item: z.ZodType<T>) => z.array(item).readonly()

const tally = z.strictObject({ passing: count, of: count })

const gain = z.strictObject({ delta: number, low: number, high: number, confidence: number })

const point = {
  iteration: count,
  passing: tally,
  mean: number,
  gain: gain.exactOptional(),
}

const verdict = z.enum(['improved', 'regressed', 'inconclusive', 'no-claim'])

const viewedCase = exactly<ViewedCase>()(
  z.strictObject({
    id: text,
    label: z.enum(['focus', 'guard', 'case']),
    isFlaky: z.boolean(),
    baseline: z.enum(['passing', 'failing', 'unscored']),
    now: z.enum(['passing', 'failing']),
    flips: list(z.enum(flips).nullable()),
    critique: text,
  }),
).register(published, { id: 'TunedCase' })

const option = exactly<ViewedOption>()(
  z.strictObject({
    id: text,
    name: text,
    summary: text,
    mechanism: text,
    isRecommended: z.boolean(),
    edits: list(z.strictObject({ file: text, section: text, current: text, proposed: text })),
    diff: text,
    improves: texts,
    expected: number.exactOptional(),
    result: z
      .strictObject({
        type: z.enum(['kept', 'dropped']),
        reason: text.exactOptional(),
        delta: number.exactOptional(),
      })
      .exactOptional(),
  }),
).register(published, { id: 'TuneOption' })

export const tuneViewSchema: z.ZodType<TuneView> = exactly<TuneView>()(
  z.strictObject({
    run: text,
    phase: z.enum(tunePhases),
    mode: text,
    intent: text.exactOptional(),
    workload: z
      .strictObject({
        id: text,
        manifest: text,
        artifacts: texts,
        cases: z.strictObject({ suite: count, sealed: count, excluded: count }),
        excluded: list(z.strictObject({ id: text, reason: text })),
        maxIterations: count,
      })
      .exactOptional(),
    noise: z
      .strictObject({
        repeats: count,
        passDeviation: number.exactOptional(),
        flaky: texts,
        visibleGain: number,
        text,
      })
      .exactOptional(),
    best: z
      .strictObject({
        ...point,
        label: z.enum(['baseline', 'kept', 'improved', 'regressed', 'inconclusive']),
        text,
      })
      .exactOptional(),
    history: list(z.strictObject(point)),
    matrix: z.strictObject({
      iterations: list(count),
      cases: list(viewedCase),
      leftOut: z.strictObject({ cases: count, iterations: count }),
    }),
    hypotheses: list(
      z.strictObject({
        iteration: count,
        statement: text,
        prediction: text,
        outcome: z.enum(['untested', 'confirmed', 'partially-confirmed', 'rejected']),
        cases: list(z.strictObject({ id: text, flip: z.enum(flips).nullable() })),
      }),
    ),
    rounds: list(
      z.strictObject({
        iteration: count,
        rootCause: text,
        options: list(option),
        decision: z
          .strictObject({ chosen: texts, by: z.enum(['person', 'policy']), reason: text })
          .exactOptional(),
      }),
    ),
    holdout: z.strictObject({
      cases: count,
      status: z.enum(['none', 'sealed', 'opened']),
      verdict: verdict.exactOptional(),
      gain: gain.exactOptional(),
      text,
    }),
    proof: z
      .strictObject({
        verdict,
        gain: gain.exactOptional(),
        text,
      })
      .exactOptional(),
    broken: texts,
    suspect: texts,
    exit: text.exactOptional(),
    applied: z.enum(['applied', 'refused', 'nothing']).exactOptional(),
  }),
).register(published, { id: 'TuneView' })
