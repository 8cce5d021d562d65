/** Schemas of questions, of what people decide, and of what they tell a run. */

import { z } from 'zod'
import type {
  AnswerKind,
  Decision,
  LinePlace,
  OpenGuidance,
  Question,
  StepId,
  TreeId,
} from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { checkStatus, someLimitsSchema } from '../run-values.ts'
import { count, id, json, listOf, milliseconds, ordinal, published } from '../values.ts'

const text = z.string()

export const questionSchema: z.ZodType<Question> = exactly<Question>()(
  z.strictObject({
    text,
    options: listOf(text).exactOptional(),
    default: text,
    deadlineMs: milliseconds.exactOptional(),
    review: z
      .strictObject({ base: id<TreeId>(), tree: id<TreeId>(), first: listOf(text), observed: text })
      .exactOptional(),
    confirm: z.strictObject({ option: text, code: text }).exactOptional(),
    kinds: z
      .strictObject({
        accept: text.exactOptional(),
        reject: text.exactOptional(),
        respond: text.exactOptional(),
        edit: z.strictObject({ option: text, value: json }).exactOptional(),
      })
      .exactOptional(),
    evidence: z
      .strictObject({
        happened: listOf(text),
        diff: z
          .strictObject({ base: id<TreeId>(), tree: id<TreeId>(), files: count.exactOptional() })
          .exactOptional(),
        checks: listOf(
          z.strictObject({ check: text, status: checkStatus, output: text.exactOptional() }),
        ).exactOptional(),
      })
      .exactOptional(),
    about: text.exactOptional(),
  }),
).register(published, { id: 'Question' })

const linePlaceSchema: z.ZodType<LinePlace> = exactly<LinePlace>()(
  z.strictObject({ file: text, line: ordinal, tree: id<TreeId>().exactOptional() }),
)

export const guidanceSchema: z.ZodType<OpenGuidance> = exactly<OpenGuidance>()(
  z.strictObject({
    id: count,
    by: text,
    atMs: z.number(),
    text,
    at: linePlaceSchema.exactOptional(),
    seq: count,
    delivered: z
      .strictObject({ iteration: count, step: id<StepId>().exactOptional() })
      .exactOptional(),
  }),
)

export const answerKindSchema: z.ZodType<AnswerKind> = z.enum([
  'accept',
  'edit',
  'respond',
  'reject',
])

export const decisionSchema: z.ZodType<Decision> = exactly<Decision>()(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('pause') }),
    z.strictObject({ type: z.literal('resume') }),
    z.strictObject({ type: z.literal('stop'), reason: text }),
    z.strictObject({ type: z.literal('cancel'), reason: text }),
    z.strictObject({
      type: z.literal('change-limits'),
      limits: someLimitsSchema,
      reason: text.exactOptional(),
    }),
    z.strictObject({ type: z.literal('tell'), text, at: linePlaceSchema.exactOptional() }),
    z.strictObject({
      type: z.literal('answer'),
      question: text,
      answer: text,
      kind: answerKindSchema.exactOptional(),
      text: text.exactOptional(),
      value: json.exactOptional(),
    }),
  ]),
).register(published, { id: 'Decision' })
