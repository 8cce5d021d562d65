/** The schema of the report of a round. */

import { z } from 'zod'
import type { CertificateId, Finding } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { count, id, listOf, milliseconds, published } from '../values.ts'
import type {
  RoundAgent,
  RoundChecker,
  RoundDecision,
  RoundOutcome,
  RoundReport,
  RoundVerification,
} from './round-report.ts'

const text = z.string()

const agent = {
  status: z.enum(['done', 'done-with-concerns', 'blocked', 'needs-context']),
  iterations: count,
  text: text.exactOptional(),
}

const findingSchema: z.ZodType<Finding> = exactly<Finding>()(
  z.strictObject({ text, file: text.exactOptional(), line: count.exactOptional() }),
)

const makerSchema: z.ZodType<RoundAgent> = exactly<RoundAgent>()(z.strictObject(agent))

const checkerSchema: z.ZodType<RoundChecker> = exactly<RoundChecker>()(
  z.strictObject({
    ...agent,
    verdict: z.enum(['pass', 'fail', 'unclear']),
    reasons: listOf(findingSchema),
  }),
)

export const roundOutcomeSchema: z.ZodType<RoundOutcome> = exactly<RoundOutcome>()(
  z.union([
    z.strictObject({ type: z.literal('reported') }),
    z.strictObject({ type: z.literal('proceeded') }),
    z.strictObject({ type: z.literal('escalated'), reason: text }),
    z.strictObject({
      type: z.literal('budget-exhausted'),
      limit: z.enum(['input-tokens', 'output-tokens', 'total-tokens', 'cost']),
    }),
    z.strictObject({ type: z.literal('failed'), error: text }),
  ]),
).register(published, { id: 'RoundOutcome' })

const decisionSchema: z.ZodType<RoundDecision> = exactly<RoundDecision>()(
  z.union([
    z.strictObject({ type: z.literal('auto-proceed'), rule: text.exactOptional() }),
    z.strictObject({
      type: z.literal('escalate'),
      reason: text,
      rule: text.exactOptional(),
      isDenied: z.literal(true).exactOptional(),
    }),
  ]),
)

const verificationSchema: z.ZodType<RoundVerification> = exactly<RoundVerification>()(
  z.union([
    z.strictObject({ type: z.literal('checker') }),
    z.strictObject({ type: z.literal('certified'), certificate: id<CertificateId>() }),
    z.strictObject({ type: z.literal('unverified'), reason: text }),
  ]),
)

export const roundReportSchema: z.ZodType<RoundReport> = exactly<RoundReport>()(
  z.strictObject({
    loop: text,
    intent: text,
    level: z.literal([1, 2, 3]),
    run: text,
    outcome: roundOutcomeSchema,
    maker: makerSchema.exactOptional(),
    checker: checkerSchema.exactOptional(),
    proposed: z.strictObject({ kind: text, summary: text, verified: z.boolean() }).exactOptional(),
    decision: decisionSchema.exactOptional(),
    action: z.strictObject({ kind: text, summary: text }).exactOptional(),
    verified: verificationSchema,
    inputTokens: count,
    outputTokens: count,
    filesChanged: listOf(text),
    branch: text.exactOptional(),
    recalled: listOf(text),
    warnings: listOf(text),
    startedAtMs: milliseconds,
    endedAtMs: milliseconds,
  }),
).register(published, { id: 'RoundReport' })
