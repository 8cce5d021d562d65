/**
 * Parses events that come from a store, the network or another program. It compiles only as long as it
 * matches `RunEvent`. Strict, so that no field is lost silently between two versions.
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
} from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import {
  amountSchema,
  carriedSchema,
  checkDescriptionSchema,
  limitsSchema,
  namedEvidenceSchema,
} from '../run-values.ts'
import { count, id, json, listOf, milliseconds, ordinal, published } from '../values.ts'
import { actionSchema, permissionSchema, receiptSchema } from './action-schema.ts'
import { escalatedSchema, iterationMeasureSchema } from './attempt-parts.ts'
import {
  agentUsedSchema,
  claimSchema,
  endingSchema,
  faultSchema,
  originSchema,
  outcomeSchema,
  outsideSchema,
  preflightCheckSchema,
  sandboxUsedSchema,
  scheduledTickSchema,
  sourceSchema,
  stepNoteSchema,
  storedSchema,
  worktreeSchema,
} from './event-parts.ts'
import { patchSchema } from './patch-schema.ts'
import { policyContextSchema, policyInEffectSchema, rulingFields } from './policy-parts.ts'
import { decisionSchema, questionSchema } from './question-parts.ts'

const text = z.string()
const tree = id<TreeId>()
const optionalTree = tree.exactOptional()
const optionalAmount = amountSchema.exactOptional()
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
  'command',
  'certify',
])

const described = { kind: stepKindSchema.exactOptional(), role: text.exactOptional() }
const roleAppearanceSchema = z.strictObject({
  label: text.exactOptional(),
  reports: z.literal(true).exactOptional(),
  phase: z.enum(['implementation', 'review']).exactOptional(),
  sharedWith: text.exactOptional(),
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
      outside: outsideSchema.exactOptional(),
      schedule: scheduledTickSchema.exactOptional(),
      origin: originSchema.exactOptional(),
      progress: json.exactOptional(),
      iteration: count.exactOptional(),
      tree: optionalTree,
      baseTree: optionalTree,
      preflight: z.strictObject({ checks: listOf(preflightCheckSchema) }).exactOptional(),
      carried: carriedSchema.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('run-started'),
      owner: text,
      fence: count,
      sandbox: sandboxUsedSchema.exactOptional(),
      agent: agentUsedSchema.exactOptional(),
      checks: listOf(checkDescriptionSchema).exactOptional(),
      policy: policyInEffectSchema.exactOptional(),
      level: z.literal([1, 2, 3]).exactOptional(),
      seals: z
        .strictObject({
          paths: listOf(text),
          except: listOf(text),
          keys: z.record(text, listOf(text)),
        })
        .exactOptional(),
    }),
    z.strictObject({ type: z.literal('run-suspended'), reason: text, tree: optionalTree }),
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
      tree: optionalTree,
    }),
    z.strictObject({
      type: z.literal('iteration-ended'),
      iteration: ordinal,
      ending: endingSchema,
      progress: patchSchema.exactOptional(),
      measure: iterationMeasureSchema.exactOptional(),
      escalated: escalatedSchema.exactOptional(),
    }),
    z.strictObject({ type: z.literal('iteration-restarted'), iteration: ordinal, reason: text }),
    z.strictObject({
      type: z.literal('step-started'),
      ...stepEvent,
      ...described,
      tree: optionalTree,
      reserved: optionalAmount,
      call: z.literal(true).exactOptional(),
      wakeAtMs: milliseconds.exactOptional(),
      question: questionSchema.exactOptional(),
      key: text.exactOptional(),
      fingerprint: text.exactOptional(),
      claim: claimSchema.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('step-finished'),
      ...stepEvent,
      ...described,
      result: storedSchema.exactOptional(),
      spent: optionalAmount,
      tree: optionalTree,
      evidence: namedEvidenceSchema.exactOptional(),
      fingerprint: text.exactOptional(),
      certificate: z.strictObject({ id: id<CertificateId>(), tree: optionalTree }).exactOptional(),
      allows: listOf(text).exactOptional(),
    }),
    z.strictObject({
      type: z.literal('step-failed'),
      ...stepEvent,
      fault: faultSchema,
      spent: optionalAmount,
      role: text.exactOptional(),
      tree: optionalTree,
      retryAtMs: milliseconds.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('step-interrupted'),
      ...stepEvent,
      spent: optionalAmount,
      role: text.exactOptional(),
    }),
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
      role: text.exactOptional(),
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
      claimedBy: text.exactOptional(),
      decision: decisionSchema,
    }),
    z.strictObject({
      type: z.literal('run-rewound'),
      toIteration: count,
      progress: json.exactOptional(),
      tree: optionalTree,
    }),
    z.strictObject({
      type: z.literal('workspace-changed'),
      why: z.enum(['changed-outside', 'unfinished-step', 'during-check', 'restored', 'base-moved']),
      found: tree,
      tree,
      files: count.exactOptional(),
      base: tree.exactOptional(),
      follows: text.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('policy-decided'),
      action: z.enum(['iterate', 'callTool', 'callToolUnattended', 'act']),
      iteration: ordinal,
      step: step.exactOptional(),
      resource: text.exactOptional(),
      policy: text,
      context: policyContextSchema.exactOptional(),
      ...rulingFields,
    }),
    z.strictObject({
      type: z.literal('limit-warned'),
      limit: text,
      current: z.number(),
      max: z.number(),
      remaining: z.number(),
      threshold: z.number(),
    }),
    z.strictObject({
      type: z.literal('action-recorded'),
      key: text,
      status: z.enum(['refused', 'started', 'done', 'failed', 'unknown', 'escaped']),
      kind: text,
      action: actionSchema.exactOptional(),
      permission: permissionSchema.exactOptional(),
      policy: listOf(text).exactOptional(),
      receipt: receiptSchema.exactOptional(),
      reason: text.exactOptional(),
      requestedBy: text.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('guidance-delivered'),
      ids: listOf(count),
      iteration: ordinal,
      step: step.exactOptional(),
    }),
    z.strictObject({ type: z.literal('warning'), code: text, message: text }),
    z.strictObject({ type: z.literal('loop-printed'), text }),
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
