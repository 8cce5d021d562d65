/** Schemas of values that several formats share. */

import { z } from 'zod'
import {
  type Amount,
  type Carried,
  type CheckDescription,
  type CheckStatus,
  checkKinds,
  type Evidence,
  type EvidenceKept,
  type Limits,
  type RunCheck,
  standardConditions,
  type TreeId,
} from '../loop/index.ts'
import { exactly } from './exactly.ts'
import { count, id, milliseconds, published } from './values.ts'

export type NamedEvidence = Evidence & { readonly check: string }

export const amountSchema: z.ZodType<Amount> = exactly<Amount>()(
  z.strictObject({ tokens: count, costMicros: count, outputTokens: count.exactOptional() }),
).register(published, { id: 'Amount' })

const optionalLimits = {
  deadlineAtMs: milliseconds.exactOptional(),
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  iteration: z
    .strictObject({
      tokens: count.exactOptional(),
      costMicros: count.exactOptional(),
      timeMs: milliseconds.exactOptional(),
    })
    .exactOptional(),
  agents: z
    .record(
      z.string(),
      z.strictObject({
        calls: count.exactOptional(),
        tokens: count.exactOptional(),
        inputTokens: count.exactOptional(),
        outputTokens: count.exactOptional(),
        costMicros: count.exactOptional(),
      }),
    )
    .exactOptional(),
  warnAt: z.number().min(0.5).max(0.95).exactOptional(),
}

export const limitsSchema: z.ZodType<Limits> = exactly<Limits>()(
  z.strictObject({
    iterations: count,
    tokens: count,
    costMicros: count,
    timeMs: milliseconds,
    sameErrors: count,
    ...optionalLimits,
  }),
).register(published, { id: 'Limits' })

export const someLimitsSchema: z.ZodType<Partial<Limits>> = exactly<Partial<Limits>>()(
  z.strictObject({
    iterations: count.exactOptional(),
    tokens: count.exactOptional(),
    costMicros: count.exactOptional(),
    timeMs: milliseconds.exactOptional(),
    sameErrors: count.exactOptional(),
    ...optionalLimits,
  }),
)

export const checkDescriptionSchema: z.ZodType<CheckDescription> = exactly<CheckDescription>()(
  z.strictObject({
    check: z.string(),
    kind: z.enum(checkKinds),
    condition: z.enum(standardConditions).exactOptional(),
  }),
).register(published, { id: 'CheckDescription' })

const statuses = ['met', 'not-met', 'error', 'timeout', 'skipped'] as const

export const checkStatus: z.ZodType<CheckStatus> = z.enum(statuses)

export const runCheckSchema: z.ZodType<RunCheck> = exactly<RunCheck>()(
  z.strictObject({
    check: z.string(),
    status: z.enum(['pending', ...statuses]),
    kind: z.enum(checkKinds).exactOptional(),
    condition: z.enum(standardConditions).exactOptional(),
    last: z.strictObject({ status: checkStatus, iteration: count }).exactOptional(),
    base: z.enum(['fails', 'passes', 'cannot-run', 'timeout', 'unknown']).exactOptional(),
  }),
).register(published, { id: 'RunCheck' })

const evidenceFields = {
  status: checkStatus,
  iteration: count,
  tree: id<TreeId>().exactOptional(),
  fingerprint: z.string().exactOptional(),
  reused: z.literal(true).exactOptional(),
  allowed: z.literal(true).exactOptional(),
  flaky: z.literal(true).exactOptional(),
}

export const namedEvidenceSchema: z.ZodType<NamedEvidence> = exactly<NamedEvidence>()(
  z.strictObject({ check: z.string(), ...evidenceFields }),
).register(published, { id: 'Evidence' })

export const evidenceSchema: z.ZodType<Evidence> = exactly<Evidence>()(
  z.strictObject(evidenceFields),
)

export const evidenceKeptSchema: z.ZodType<EvidenceKept> = exactly<EvidenceKept>()(
  z.strictObject({ ...evidenceFields, tree: id<TreeId>(), seq: count }),
)

export const carriedSchema: z.ZodType<Carried> = exactly<Carried>()(
  z.strictObject({
    spent: amountSchema,
    activeMs: milliseconds,
    unchanged: count,
    errors: z.strictObject({ signature: z.string(), times: count }),
    evidence: z.record(z.string(), evidenceSchema),
  }),
)

/** Where a clean checkout gets its dependencies. */
export const dependenciesSchema: z.ZodEnum<{
  install: 'install'
  resolve: 'resolve'
  carry: 'carry'
  none: 'none'
}> = z.enum(['install', 'resolve', 'carry', 'none'])
