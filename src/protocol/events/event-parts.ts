/** Schemas of the parts of events. */

import { z } from 'zod'
import type {
  AgentInfo,
  BlobId,
  CertificateId,
  Claim,
  EarlierRun,
  Ending,
  Fault,
  Met,
  Origin,
  Outcome,
  OutsideDigests,
  Preflight,
  PreflightCheck,
  RunId,
  RunWorktree,
  SandboxSummary,
  ScheduledTick,
  Source,
  StepNote,
  Stored,
  TodoItem,
  TreeId,
} from '../../loop/index.ts'
import { spendingLimitNames } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { amountSchema, dependenciesSchema } from '../run-values.ts'
import { count, id, json, listOf, milliseconds, ordinal, published } from '../values.ts'

const text = z.string()

export const faultSchema: z.ZodType<Fault> = exactly<Fault>()(
  z.strictObject({
    code: text,
    message: text,
    retryable: z.boolean(),
    fatal: z.boolean().exactOptional(),
    retryAtMs: milliseconds.exactOptional(),
    limit: z.enum(spendingLimitNames).exactOptional(),
    agent: text.exactOptional(),
    rework: z
      .strictObject({ tree: id<TreeId>(), base: id<TreeId>(), commit: text })
      .exactOptional(),
  }),
).register(published, { id: 'Fault' })

export const earlierSchema: z.ZodType<EarlierRun> = exactly<EarlierRun>()(
  z.strictObject({
    run: id<RunId>(),
    name: text,
    certificate: id<CertificateId>(),
    branch: text.exactOptional(),
  }),
).register(published, { id: 'Earlier' })

export const preflightCheckSchema: z.ZodType<PreflightCheck> = exactly<PreflightCheck>()(
  z.strictObject({
    check: text,
    answer: z.enum(['fails', 'passes', 'cannot-run', 'timeout', 'unknown']),
    durationMs: milliseconds,
    known: z.literal(true).exactOptional(),
    detail: text.exactOptional(),
  }),
).register(published, { id: 'PreflightCheck' })

export const preflightSchema: z.ZodType<Preflight> = exactly<Preflight>()(
  z.strictObject({
    checks: listOf(preflightCheckSchema),
    fault: faultSchema.exactOptional(),
  }),
).register(published, { id: 'Preflight' })

const limitNameSchema = z.enum(['iterations', ...spendingLimitNames, 'time', 'deadline'])

export const outcomeSchema: z.ZodType<Outcome> = exactly<Outcome>()(
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('completed'),
      condition: text,
      earlier: earlierSchema.exactOptional(),
    }),
    z.strictObject({
      type: z.literal('exhausted'),
      limit: limitNameSchema,
      condition: text,
    }),
    z.strictObject({ type: z.literal('denied'), rules: listOf(text), reason: text }),
    z.strictObject({ type: z.literal('stuck'), condition: text, detail: text }),
    z.strictObject({ type: z.literal('stopped'), by: text, reason: text }),
    z.strictObject({ type: z.literal('cancelled'), by: text, reason: text }),
    z.strictObject({
      type: z.literal('failed'),
      fault: faultSchema,
      preflight: z.literal(true).exactOptional(),
    }),
  ]),
).register(published, { id: 'Outcome' })

const metSchema: z.ZodType<Met> = exactly<Met>()(
  z.strictObject({
    condition: text,
    ends: z.enum(['completed', 'exhausted', 'stuck']),
    limit: limitNameSchema.exactOptional(),
    detail: text.exactOptional(),
    earlier: earlierSchema.exactOptional(),
    byLoop: z.enum(['certified', 'unchanged']).exactOptional(),
  }),
).register(published, { id: 'Met' })

export const claimSchema: z.ZodType<Claim> = exactly<Claim>()(
  z.strictObject({
    met: metSchema,
    checks: listOf(text),
    tree: id<TreeId>().exactOptional(),
  }),
)

export const endingSchema: z.ZodType<Ending> = exactly<Ending>()(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('continue') }),
    z.strictObject({
      type: z.literal('complete'),
      met: metSchema,
    }),
    z.strictObject({
      type: z.literal('rate-limited'),
      retryAtMs: milliseconds,
      message: text,
    }),
    z.strictObject({ type: z.literal('interrupted'), reason: text }),
    z.strictObject({
      type: z.literal('error'),
      fault: faultSchema,
      recoverable: z.boolean(),
      met: metSchema.exactOptional(),
    }),
  ]),
).register(published, { id: 'Ending' })

export const storedSchema: z.ZodType<Stored> = exactly<Stored>()(
  z.union([z.strictObject({ value: json }), z.strictObject({ blob: id<BlobId>(), bytes: count })]),
).register(published, { id: 'Stored' })

export const originSchema: z.ZodType<Origin> = exactly<Origin>()(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('fork'), run: id<RunId>(), iteration: count }),
    z.strictObject({ type: z.literal('checkpoint'), checkpoint: text, iteration: count }),
    z.strictObject({ type: z.literal('replay'), run: id<RunId>(), iteration: count }),
  ]),
).register(published, { id: 'Origin' })

/** Overrides the action `merge` of a loop file. `none`: the work is not merged. */
export type MergeChange = NonNullable<NonNullable<Source['changes']>['merge']>

export const mergeChangeSchema: z.ZodType<MergeChange> = exactly<MergeChange>()(
  z.strictObject({
    into: text.exactOptional(),
    strategy: z.enum(['squash', 'merge', 'none']).exactOptional(),
  }),
)

export const outsideSchema: z.ZodType<OutsideDigests> = z.record(
  z.string().min(1).max(100),
  z.string().max(200),
)

export const scheduledTickSchema: z.ZodType<ScheduledTick> = exactly<ScheduledTick>()(
  z.strictObject({ name: text, tick: text }),
)

export const sourceSchema: z.ZodType<Source> = exactly<Source>()(
  z.strictObject({
    file: text,
    digest: text,
    changes: z
      .strictObject({
        model: text.exactOptional(),
        prompt: text.exactOptional(),
        dependencies: dependenciesSchema.exactOptional(),
        checks: z
          .strictObject({
            commands: z.array(text).readonly(),
            timeoutMs: milliseconds.exactOptional(),
          })
          .exactOptional(),
        policy: z
          .strictObject({
            enforce: listOf(text).exactOptional(),
            monitor: listOf(text).exactOptional(),
          })
          .exactOptional(),
        defaults: z.record(text, json).exactOptional(),
        agentTimeMs: milliseconds.exactOptional(),
        models: z.record(text, text).exactOptional(),
        merge: mergeChangeSchema.exactOptional(),
      })
      .exactOptional(),
  }),
).register(published, { id: 'Source' })

export const worktreeSchema: z.ZodType<RunWorktree> = exactly<RunWorktree>()(
  z.strictObject({
    repository: text,
    key: text,
    branch: text,
    base: z.strictObject({ name: text, commit: text }),
    folder: text.exactOptional(),
    carried: z
      .strictObject({ copied: z.array(text).readonly(), linked: z.array(text).readonly() })
      .exactOptional(),
  }),
).register(published, { id: 'RunWorktree' })

export const sandboxUsedSchema: z.ZodType<SandboxSummary> = exactly<SandboxSummary>()(
  z.strictObject({
    tier: z.enum(['strong', 'basic', 'none']),
    limits: z.enum(['cgroup', 'rlimit', 'none']),
    attended: z.boolean(),
  }),
).register(published, { id: 'Walls' })

export const agentUsedSchema: z.ZodType<AgentInfo> = exactly<AgentInfo>()(
  z.strictObject({
    name: text,
    version: text.exactOptional(),
    protocol: z.enum(['headless', 'acp']).exactOptional(),
  }),
).register(published, { id: 'AgentUsed' })

const todoItemSchema: z.ZodType<TodoItem> = exactly<TodoItem>()(
  z.strictObject({ text, status: z.enum(['open', 'doing', 'done']) }),
).register(published, { id: 'TodoItem' })

/** The todo list of an agent. */
export const todoFields: {
  readonly items: z.ZodType<readonly TodoItem[]>
  readonly total: z.ZodType<number>
  readonly done: z.ZodType<number>
} = { items: listOf(todoItemSchema), total: count, done: count }

export const stepNoteSchema: z.ZodType<StepNote> = exactly<StepNote>()(
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('turn-ended'),
      turn: count,
      text,
      calls: count,
      calling: text.exactOptional(),
      usage: amountSchema,
    }),
    z.strictObject({ type: z.literal('context-cut'), tokens: count, what: text }),
    z.strictObject({ type: z.literal('nudged'), tool: text, times: count }),
    z.strictObject({ type: z.literal('said'), text }),
    z.strictObject({ type: z.literal('todo'), ...todoFields }),
    z.strictObject({ type: z.literal('waiting'), untilMs: milliseconds, message: text }),
    z.strictObject({
      type: z.literal('exchanged'),
      attempt: ordinal,
      ordinal,
      provider: text,
      model: text,
      ended: text,
      spent: amountSchema,
      isEstimated: z.boolean(),
      durationMs: milliseconds,
      blob: id<BlobId>(),
      bytes: count,
    }),
    z.strictObject({ type: z.literal('prompted'), blob: id<BlobId>(), bytes: count }),
    z.strictObject({
      type: z.literal('tool-called'),
      tool: text,
      args: text,
      ok: z.boolean(),
      error: text.exactOptional(),
      durationMs: milliseconds,
      outputBytes: count,
      policy: listOf(text).exactOptional(),
    }),
  ]),
).register(published, { id: 'StepNote' })
