/** What the policy of a run answered. */

import { z } from 'zod'
import type { PolicyDecided, PolicyInEffect, StepId } from '../../loop/index.ts'
import { policyContextSchema, policyInEffectSchema, rulingFields } from '../events/policy-parts.ts'
import { exactly } from '../exactly.ts'
import { count, id, published } from '../values.ts'

const text = z.string()

/** An answer, and its place in the journal. */
export type PolicyRulingEntry = Omit<PolicyDecided, 'type'> & {
  readonly seq: number
  readonly atMs: number
}

export const policyRulingSchema: z.ZodType<PolicyRulingEntry> = exactly<PolicyRulingEntry>()(
  z.strictObject({
    seq: count,
    atMs: z.number(),
    action: z.enum(['iterate', 'callTool', 'callToolUnattended', 'act']),
    iteration: count,
    step: id<StepId>().exactOptional(),
    resource: text.exactOptional(),
    policy: text,
    context: policyContextSchema.exactOptional(),
    ...rulingFields,
  }),
).register(published, { id: 'PolicyRuling' })

/** Tool calls that the same rules allowed. */
export interface AllowedCalls {
  readonly tool: string
  readonly rules: readonly string[]
  readonly times: number
}

export const allowedCallsSchema: z.ZodType<AllowedCalls> = exactly<AllowedCalls>()(
  z.strictObject({ tool: text, rules: z.array(text).readonly(), times: count }),
).register(published, { id: 'AllowedCalls' })

/** A page of answers, oldest first. */
export interface PolicyDecisions {
  /** The rules as of the last start of the run. Absent: no policy applies. */
  readonly policy?: PolicyInEffect
  readonly items: readonly PolicyRulingEntry[]
  readonly next?: string
  /** Tool calls that were allowed are only counted. Only on the first page. */
  readonly allowedCalls?: readonly AllowedCalls[]
}

export const policyDecisionsSchema: z.ZodType<PolicyDecisions> = exactly<PolicyDecisions>()(
  z.strictObject({
    policy: policyInEffectSchema.exactOptional(),
    items: z.array(policyRulingSchema).readonly(),
    next: text.exactOptional(),
    allowedCalls: z.array(allowedCallsSchema).readonly().exactOptional(),
  }),
).register(published, { id: 'PolicyDecisions' })
