/** The entries of a log that comes from a file: anything may be in it. */

import { z } from 'zod'
import { tuneModes } from '../modes.ts'
import { exitReasons } from '../tune-state.ts'
import type { LogEntry } from './log-entry.ts'

const text = z.string()
const texts = z.array(text)
const iteration = z.int().min(0).max(1_000_000)
const tally = z.object({ passing: z.number(), of: z.number() })
const by = z.enum(['person', 'policy'])
const rating = z.enum(['high', 'medium', 'low'])
const judging = ['runCommand', 'outputPath', 'evaluateCommand', 'reviewCommand'] as const

const option = z.object({
  id: text,
  name: text,
  summary: text,
  mechanism: text,
  edits: z.array(z.object({ file: text, section: text, current: text, proposed: text })),
  prediction: z.object({ improves: texts, gain: z.number().exactOptional() }),
  isRecommended: z.boolean(),
})

const plan = z.object({
  problem: text,
  failureContext: texts,
  hypotheses: z.array(
    z.object({
      statement: text,
      prediction: text,
      likelihood: rating,
      testability: rating,
      impact: rating,
    }),
  ),
  experiments: z.array(
    z.object({ hypothesis: z.number(), file: text, section: text, current: text, change: text }),
  ),
  focus: texts,
  guards: texts,
  exclusions: z.array(z.object({ id: text, reason: text })),
  criteria: z.object({
    target: z.number().exactOptional(),
    minimum: text,
    qualitative: text,
    exits: texts,
  }),
})

const outcome = z.enum(['untested', 'confirmed', 'partially-confirmed', 'rejected'])
const exit = z.enum(exitReasons)

const entry = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), atMs: z.number().exactOptional(), ...shape })

export const logEntrySchema: z.ZodType<LogEntry> = z.discriminatedUnion('type', [
  entry('session-started', {
    workload: text,
    manifest: text,
    manifestDigest: text,
    mode: z.enum(tuneModes),
    cases: texts,
  }),
  entry('interaction', { question: text, text, answer: text, by: text }),
  entry('plan', { plan, by }),
  entry('calibration-passed', { case: text, attempt: z.number(), manifestDigest: text }),
  entry('calibration-failed', {
    case: text,
    attempt: z.number(),
    failure: z.object({ at: z.enum([...judging, 'buildCommand']), reason: text }),
  }),
  entry('hypothesis', { iteration, statement: text, prediction: text, improves: texts }),
  entry('experiment', { iteration, what: text, runs: z.number(), infrastructure: texts }),
  entry('critique', {
    iteration,
    passing: tally,
    failing: z.array(z.object({ id: text, text })),
  }),
  entry('composer-analysis', { iteration, rootCause: text, options: z.array(option) }),
  entry('decision', { iteration, chosen: texts, by, reason: text.exactOptional() }),
  entry('edit-applied', { iteration, option }),
  entry('iteration-result', {
    iteration,
    verdict: text,
    passing: tally,
    kept: text.exactOptional(),
    fixed: texts,
    regressed: texts,
    hypothesis: outcome,
  }),
  entry('metrics', { iteration, mean: z.number(), passing: tally, gain: z.number() }),
  entry('regression-detected', { iteration, cases: texts, answer: text }),
  entry('insight', { iteration, text }),
  entry('parking-lot', { iteration, text }),
  entry('block', { iteration, text }),
  entry('iteration-complete', { iteration, exit: exit.exactOptional() }),
])
