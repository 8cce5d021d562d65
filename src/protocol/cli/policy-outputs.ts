/** What the commands for policies print. */

import { z } from 'zod'
import { allowedCallsSchema, policyRulingSchema } from '../api/policy.ts'
import { policyInEffectSchema } from '../events/policy-parts.ts'
import { count } from '../values.ts'
import { type CommandOutput, lines, one, text, texts } from './command-output.ts'

const problem = z.strictObject({
  file: text,
  line: count,
  column: count,
  reason: text,
  suggestion: text.exactOptional(),
})

const rule = z.strictObject({
  id: text,
  line: count,
  effect: z.enum(['permit', 'forbid']),
  reason: text.exactOptional(),
})

const saved = z.strictObject({
  iterations: count,
  tokens: count,
  costMicros: count,
  activeMs: count,
})

const changedRun = z.strictObject({
  id: text,
  name: text,
  loop: text,
  outcome: text.exactOptional(),
  stopped: z
    .strictObject({
      iteration: count,
      rules: texts,
      reason: text.exactOptional(),
      saved,
      isWronglyBlocked: z.boolean(),
    })
    .exactOptional(),
  denied: z.array(
    z.strictObject({
      action: z.enum(['callTool', 'callToolUnattended', 'act']),
      resource: text,
      rules: texts,
      times: count,
    }),
  ),
})

export const policyOutputs: Readonly<Record<string, CommandOutput>> = {
  'policy check': lines(
    'Each policy file with its rules, and its problems.',
    z.strictObject({
      file: text,
      ok: z.boolean(),
      rules: z.array(rule),
      problems: z.array(problem),
      warnings: z.array(problem),
    }),
  ),
  'policy explain': one(
    'What the policy answered during a run.',
    z.strictObject({
      run: z.strictObject({ id: text, name: text, status: text }),
      policy: policyInEffectSchema.exactOptional(),
      rulings: z.array(policyRulingSchema),
      allowedCalls: z.array(allowedCallsSchema),
    }),
  ),
  'policy backtest': one(
    'What a policy would have done to the runs of the state folder.',
    z.strictObject({
      runs: count,
      stopped: count,
      wronglyBlocked: count,
      denied: count,
      saved,
      changed: z.array(changedRun),
    }),
  ),
}
