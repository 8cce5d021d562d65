/** The parts of events and states that a policy decides. */

import { z } from 'zod'
import type { PolicyContext, PolicyInEffect, PolicyRuling } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, listOf, published } from '../values.ts'

const text = z.string()
const policyModeSchema = z.enum(['enforce', 'monitor'])

export const policyInEffectSchema: z.ZodType<PolicyInEffect> = exactly<PolicyInEffect>()(
  z.strictObject({
    digest: text,
    mode: policyModeSchema,
    files: listOf(z.strictObject({ file: text, mode: policyModeSchema })),
  }),
).register(published, { id: 'PolicyInEffect' })

export const policyContextSchema: z.ZodType<PolicyContext> = exactly<PolicyContext>()(
  z.strictObject({
    iteration: count,
    tokens: count,
    inputTokens: count,
    outputTokens: count,
    costMicros: count,
    elapsedMs: count,
    filesChanged: count,
    sealedTouched: count,
    verified: count,
    level: count,
  }),
).register(published, { id: 'PolicyContext' })

/** The members of a ruling, for the events and states that contain one. */
export const rulingFields: {
  readonly decision: z.ZodType<PolicyRuling['decision']>
  readonly rules: z.ZodType<PolicyRuling['rules']>
  readonly reason: z.ZodExactOptional<z.ZodString>
  readonly isMonitored: z.ZodExactOptional<z.ZodLiteral<true>>
  readonly errors: z.ZodExactOptional<z.ZodType<readonly string[]>>
} = {
  decision: z.enum(['allow', 'deny']),
  rules: listOf(text),
  reason: text.exactOptional(),
  isMonitored: z.literal(true).exactOptional(),
  errors: listOf(text).exactOptional(),
}
