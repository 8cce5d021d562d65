/**
 * The edge parser of events: from a store, a wire or another program. It compiles only while it
 * says the same as `RunEvent`. Strict, so that nothing is lost unseen between two versions.
 */

import { z } from 'zod'
import type {
  CertificateId,
  RecordedEvent,
  ReservationId,
  RunEvent,
  RunId,
  StepId,
  StepKind,
  TreeId,
} from '../loop/index.ts'
import {
  agentUsedSchema,
  claimSchema,
  decisionSchema,
  endingSchema,
  faultSchema,
  originSchema,
  outcomeSchema,
  preflightCheckSchema,
  questionSchema,
  sourceSchema,
  stepNoteSchema,
  storedSchema,
  wallsSchema,
  worktreeSchema,
} from './event-parts.ts'
import { exactly } from './exactly.ts'
import { patchSchema } from './patch-schema.ts'
import {
  amountSchema,
  carriedSchema,
  checkDescriptionSchema,
  limitsSchema,
  namedEvidenceSchema,
} from './run-values.ts'
import { count, id, json, listOf, milliseconds, ordinal, published } from './values.ts'

const text = z.string()
const tree = id<TreeId>()
const maybeTree = tree.exactOptional()
const maybeAmount = amountSchema.exactOptional()
const step = id<StepId>()
const stepEvent = { iteration: ordinal, step, attempt: ordinal }

export const stepKindSchema: z.ZodType<StepKind> = z.enum([
  'step',
  'agent',
  'tool',
  'check',
  'ask',
  'gate',
  'action',
  'sleep',
  'artifact',
  'certify',
])

const roleAppearanceSchema = z.strictObject({
  label: text.exactOptional(),
  reports: z.literal(true).exactOptional(),
})

export const runEventSchema: z.ZodType<RunEvent> = exactly<RunEvent>()(
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('run-created'),
      eventVersion: ordinal,
      loop: text,
      codeDigest: text,
      limits: limitsSchema,
      loopType: text.exactOptional(),
      roles: z.record(text, roleAppearanceSchema).exactOptional(),
      input: storedSchema.exactOptional(),
      source: sourceSchema.exactOptional(),
      worktree: worktreeSchema.exactOptional(),
      withoutGit: z.literal(true).exactOptional(),
      repeat: count.exactOptional(),
      origin: originSchema.exactOptional(),
      progress: json.exactOptional(),
      iteration: count.exactOptional(),
      tree: maybeTree,
      baseTree: maybeTree,
      preflight: z.strictObject({ checks: listOf(preflightCheckSchema) }).exactOptional(),
      carried: carriedSchema.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('run-started'),
      owner: text,
      fence: count,
      sandbox: wallsSchema.exactOptional(),
      agent: agentUsedSchema.exactOptional(),
      checks: listOf(checkDescriptionSchema).exactOptional(),
    }),
    z.strictObject({ type: z.literal('run-suspended'), reason: text, tree: maybeTree }),
    z.strictObject({ type: z.literal('run-ended'), outcome: outcomeSchema }),
    z.strictObject({ type: z.literal('preflight-noted'), check: text.exactOptional() }),
    z.strictObject({
      type: z.literal('preflight-ended'),
      checks: listOf(preflightCheckSchema),
      fault: faultSchema.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('iteration-started'),
      iteration: ordinal,
      again: z.literal(true).exactOptional(),
      codeDigest: text.exactOptional(),
      tree: maybeTree,
    }),
    z.strictObject({
      type: z.literal('iteration-ended'),
      iteration: ordinal,
      ending: endingSchema,
      progress: patchSchema.exactOptional(),
    }),
    z.strictObject({ type: z.literal('iteration-restarted'), iteration: ordinal, reason: text }),
    z.strictObject({
      type: z.literal('step-started'),
      ...stepEvent,
      kind: stepKindSchema.exactOptional(),
      tree: maybeTree,
      reserved: maybeAmount,
      wakeAtMs: milliseconds.exactOptional(),
      question: questionSchema.exactOptional(),
      key: text.exactOptional(),
      fingerprint: text.exactOptional(),
      claim: claimSchema.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('step-finished'),
      ...stepEvent,
      result: storedSchema.exactOptional(),
      spent: maybeAmount,
      tree: maybeTree,
      evidence: namedEvidenceSchema.exactOptional(),
      fingerprint: text.exactOptional(),
      certificate: z.strictObject({ id: id<CertificateId>(), tree: maybeTree }).exactOptional(),
      allows: listOf(text).exactOptional(),
    }),
    z.strictObject({
      type: z.literal('step-failed'),
      ...stepEvent,
      fault: faultSchema,
      spent: maybeAmount,
      tree: maybeTree,
      retryAtMs: milliseconds.exactOptional(),
    }),
    z.strictObject({ type: z.literal('step-interrupted'), ...stepEvent, spent: maybeAmount }),
    z.strictObject({
      type: z.literal('step-noted'),
      iteration: ordinal,
      step,
      role: text.exactOptional(),
      note: stepNoteSchema,
    }),
    z.strictObject({
      type: z.literal('budget-reserved'),
      id: id<ReservationId>(),
      iteration: ordinal,
      step,
      worst: amountSchema,
    }),
    z.strictObject({
      type: z.literal('budget-settled'),
      id: id<ReservationId>(),
      spent: amountSchema,
    }),
    z.strictObject({
      type: z.literal('decision-applied'),
      id: count,
      by: text,
      decision: decisionSchema,
    }),
    z.strictObject({
      type: z.literal('run-rewound'),
      toIteration: count,
      progress: json.exactOptional(),
      tree: maybeTree,
    }),
    z.strictObject({
      type: z.literal('workspace-changed'),
      why: z.enum(['changed-outside', 'unfinished-step', 'during-check', 'restored']),
      found: tree,
      tree,
      files: count.exactOptional(),
    }),
    z.strictObject({ type: z.literal('warning'), code: text, message: text }),
  ]),
).register(published, { id: 'RunEvent' })

export const recordedEventSchema: z.ZodType<RecordedEvent> = exactly<RecordedEvent>()(
  z.strictObject({
    run: id<RunId>(),
    seq: ordinal,
    position: count,
    atMs: z.number(),
    event: runEventSchema,
  }),
)
