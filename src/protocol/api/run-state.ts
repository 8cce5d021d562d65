/** The state of a run: the fold over its events, as JSON. */

import { z } from 'zod'
import {
  type Amount,
  type CertificateId,
  initialState,
  type Metrics,
  type Reserved,
  type RunState,
  type StepId,
  type StoredState,
  type ToolUse,
  type TreeId,
  zero,
} from '../../loop/index.ts'
import { attemptsSchema, attentionSchema } from '../events/attempt-parts.ts'
import {
  agentUsedSchema,
  endingSchema,
  originSchema,
  outcomeSchema,
  outsideSchema,
  preflightSchema,
  sandboxUsedSchema,
  scheduledTickSchema,
  sourceSchema,
  todoFields,
  worktreeSchema,
} from '../events/event-parts.ts'
import { policyInEffectSchema, rulingFields } from '../events/policy-parts.ts'
import { guidanceSchema } from '../events/question-parts.ts'
import { exactly } from '../exactly.ts'
import {
  amountSchema,
  checkDescriptionSchema,
  evidenceKeptSchema,
  evidenceSchema,
  limitsSchema,
} from '../run-values.ts'
import { count, id, json, milliseconds, ordinal, published } from '../values.ts'
import { runStatusSchema } from './run-status.ts'

const tree = id<TreeId>()
const requested = z.strictObject({ by: z.string(), reason: z.string() })

const toolUseSchema: z.ZodType<ToolUse> = exactly<ToolUse>()(
  z.strictObject({ calls: count, failed: count, ms: milliseconds, outputBytes: count }),
)

const metricsSchema: z.ZodType<Metrics> = exactly<Metrics>()(
  z.strictObject({
    steps: count,
    stepsFailed: count,
    retries: count,
    interruptions: count,
    rateLimits: count,
    iterationErrors: count,
    iterationMs: milliseconds,
    byKind: z.record(z.string(), count),
    tools: z.record(z.string(), toolUseSchema),
  }),
).register(published, { id: 'Metrics' })

const spentByRoleSchema: z.ZodType<Readonly<Record<string, Amount>>> = z.record(
  z.string(),
  amountSchema,
)

const reservedSchema: z.ZodType<Readonly<Record<string, Reserved>>> = z.record(
  z.string(),
  exactly<Reserved>()(
    z.strictObject({
      tokens: count,
      costMicros: count,
      outputTokens: count.exactOptional(),
      role: z.string().exactOptional(),
    }),
  ),
)

const storedStateSchema: z.ZodType<StoredState> = z
  .strictObject({
    status: runStatusSchema,
    seq: count,
    atMs: z.number(),
    createdAtMs: z.number(),
    loop: z.string(),
    codeDigest: z.string(),
    limits: limitsSchema,
    source: sourceSchema.exactOptional(),
    worktree: worktreeSchema.exactOptional(),
    origin: originSchema.exactOptional(),
    repeat: z.number().exactOptional(),
    outside: outsideSchema.exactOptional(),
    schedule: scheduledTickSchema.exactOptional(),
    sandbox: sandboxUsedSchema.exactOptional(),
    agent: agentUsedSchema.exactOptional(),
    checks: z.array(checkDescriptionSchema).readonly().exactOptional(),
    policy: policyInEffectSchema.exactOptional(),
    ruling: z.strictObject({ iteration: count, ...rulingFields }).exactOptional(),
    todo: z.strictObject({ iteration: count, step: id<StepId>(), ...todoFields }).exactOptional(),
    guidance: z.array(guidanceSchema).readonly().default([]),
    iteration: count,
    open: z
      .strictObject({
        iteration: ordinal,
        fromSeq: count,
        startedAtMs: z.number(),
        codeDigest: z.string(),
      })
      .exactOptional(),
    lastEnding: endingSchema.exactOptional(),
    progress: json.exactOptional(),
    tree: tree.exactOptional(),
    evidence: z.record(z.string(), evidenceSchema),
    answers: z.record(z.string(), z.array(evidenceKeptSchema).readonly()),
    certificate: z
      .strictObject({ id: id<CertificateId>(), tree: tree.exactOptional(), iteration: count })
      .exactOptional(),
    spent: amountSchema,
    spentByRole: spentByRoleSchema.default({}),
    callsByRole: z.record(z.string(), count).default({}),
    spentBefore: amountSchema.default(zero),
    activeMsBefore: milliseconds.default(0),
    warned: z.array(z.string()).readonly().default([]),
    reserved: reservedSchema,
    activeMs: milliseconds,
    rateLimits: count,
    unchanged: count,
    errors: z.strictObject({ signature: z.string(), times: count }),
    attempts: attemptsSchema.default(initialState.attempts),
    attention: attentionSchema.default(initialState.attention),
    stop: requested.exactOptional(),
    cancel: requested.exactOptional(),
    pauseRequested: z.boolean(),
    waits: z.array(id<StepId>()).readonly(),
    suspendedTree: tree.exactOptional(),
    treeAtIterationStart: tree.exactOptional(),
    baseTree: tree.exactOptional(),
    follows: z.string().exactOptional(),
    begunIteration: count.exactOptional(),
    preflight: preflightSchema.exactOptional(),
    outcome: outcomeSchema.exactOptional(),
    metrics: metricsSchema,
  })
  .register(published, { id: 'RunState' })

/** Every member is checked. Which of them go together is up to the fold of the daemon that sends it. */
export const runStateSchema = storedStateSchema as z.ZodType<RunState>
