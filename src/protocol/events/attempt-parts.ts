/** Schemas of what the engine counts, and of the triggers that make it ask a person. */

import { z } from 'zod'
import {
  type Attempts,
  type Attention,
  type Escalated,
  type IterationMeasure,
  triggerNames,
} from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, listOf, milliseconds } from '../values.ts'

const text = z.string()
const triggers = listOf(z.enum(triggerNames))

export const iterationMeasureSchema: z.ZodType<IterationMeasure> = exactly<IterationMeasure>()(
  z.strictObject({
    met: listOf(text),
    unmet: listOf(text),
    ranTests: z.literal(true).exactOptional(),
    tests: z.strictObject({ passed: count, failed: count, skipped: count }).exactOptional(),
    failing: listOf(text).exactOptional(),
    files: count.exactOptional(),
    filesPer: z.literal('iteration').exactOptional(),
    refusedFile: text.exactOptional(),
    outside: listOf(text).exactOptional(),
    cannotRun: text.exactOptional(),
  }),
)

export const escalatedSchema: z.ZodType<Escalated> = exactly<Escalated>()(
  z.strictObject({
    triggers,
    choice: z.enum(['guidance', 'override', 'terminate', 'approve']),
  }),
)

export const attentionSchema: z.ZodType<Attention> = exactly<Attention>()(
  z.strictObject({
    questions: count,
    waitedMs: milliseconds,
    open: z.record(text, z.number()),
  }),
)

export const attemptsSchema: z.ZodType<Attempts> = z.strictObject({
  verifications: count,
  withoutChange: count,
  testRuns: count,
  last: iterationMeasureSchema.exactOptional(),
  best: z.strictObject({ fixed: listOf(text), passed: count }).exactOptional(),
  ignored: triggers,
  approvedFiles: count,
  approvedPaths: listOf(text),
})
