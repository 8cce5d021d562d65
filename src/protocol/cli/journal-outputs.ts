/** What the commands that inspect and maintain the journal print. */

import { z } from 'zod'
import { actionEntrySchema, actionFactSchema } from '../api/actions.ts'
import {
  cleanedWorktreeSchema,
  diffSchema,
  mergedSchema,
  worktreeEntrySchema,
} from '../api/changes.ts'
import { digestSchema } from '../api/digest.ts'
import { levelStandingSchema } from '../api/levels.ts'
import { forgottenFactsSchema, memoryFactSchema } from '../api/memory.ts'
import { postmortemSchema } from '../api/postmortem.ts'
import { worktreeRemovedSchema } from '../api/removed-run.ts'
import { discardedSchema, pullRequestSchema } from '../api/review.ts'
import { loopAttentionSchema, runDetailSchema, runSchema } from '../api/run.ts'
import { checkpointFileSchema } from '../checkpoint/checkpoint-file.ts'
import { endingSchema, faultSchema } from '../events/event-parts.ts'
import { stepKindSchema } from '../events/event-schema.ts'
import { amountSchema } from '../run-values.ts'
import { count, milliseconds, ordinal } from '../values.ts'
import { type CommandOutput, lines, one, text, texts } from './command-output.ts'

const stepView = z.strictObject({
  step: text,
  kind: stepKindSchema,
  attempts: ordinal,
  state: z.enum(['under-way', 'done', 'failed', 'interrupted']),
  tookMs: milliseconds.exactOptional(),
  fault: faultSchema.exactOptional(),
  result: z.unknown().exactOptional(),
  /** Its result is shown elsewhere in the output. */
  shown: z.literal(true).exactOptional(),
})

const toolUse = z.strictObject({
  calls: count,
  failed: count,
  ms: milliseconds,
  outputBytes: count,
})

const iterationView = z.strictObject({
  run: text,
  name: text,
  loop: text,
  iteration: ordinal,
  entered: ordinal,
  startedAtMs: z.number(),
  endedAtMs: z.number().exactOptional(),
  ending: endingSchema.exactOptional(),
  undone: z.boolean(),
  spent: amountSchema,
  tools: z.record(text, toolUse),
  before: text.exactOptional(),
  after: text.exactOptional(),
  remarks: texts,
  attention: z.strictObject({ questions: count, waitedMs: z.number() }).exactOptional(),
  exchanges: z.array(z.looseObject({ step: text, provider: text, model: text })),
  prompts: z.array(
    z.strictObject({
      text,
      tokens: count,
      cuts: z.array(z.strictObject({ section: text, tokens: count })),
    }),
  ),
  reports: z.array(z.looseObject({ step: text, status: text, text })),
  checks: z.array(z.looseObject({ check: text, status: text, output: text })),
  certificate: z
    .strictObject({
      id: text,
      strength: z.looseObject({ level: text, required: text, statements: texts }).exactOptional(),
      shows: texts,
      checks: z.array(
        z.strictObject({
          name: text,
          pass: text,
          reads: z.strictObject({ count, files: texts.exactOptional() }).exactOptional(),
        }),
      ),
    })
    .exactOptional(),
  filesChanged: texts.exactOptional(),
  steps: z.array(stepView),
})

const reviewView = z.strictObject({
  run: z.strictObject({ id: text, name: text }),
  question: text,
  observed: text,
  files: z.array(z.strictObject({ path: text, needsApproval: z.boolean(), patch: text })),
  code: text,
})

/** A body is JSON, text, or whatever else the provider sent. */
const exchangeView = z.looseObject({
  version: z.literal(1),
  step: text,
  ordinal,
  format: text,
  provider: text,
  model: text,
  atMs: z.number(),
  durationMs: milliseconds,
  request: z.looseObject({ path: text }),
  answer: z.looseObject({ status: z.int(), isTruncated: z.boolean() }),
  ended: text,
})

export const journalOutputs: Readonly<Record<string, CommandOutput>> = {
  list: lines(
    'Each run; with --loops, each loop with its sums.',
    z.union([runSchema, loopAttentionSchema]),
  ),
  inspect: one('A run, with all details.', runDetailSchema),
  show: one(
    'An iteration; with --exchange, one exchange; with --prompt, --report or --check, a text.',
    z.union([iterationView, exchangeView, z.strictObject({ text })]),
  ),
  diff: one(
    'What a run changed; with --review, what its open question asks to approve.',
    z.union([diffSchema, reviewView]),
  ),
  export: one('A checkpoint file.', checkpointFileSchema),
  files: one(
    'The full id of the tree, and where its files were extracted.',
    z.strictObject({ tree: text, folder: text }),
  ),
  rm: lines(
    'Each run that was removed.',
    z.strictObject({
      removed: text,
      name: text,
      worktree: worktreeRemovedSchema.exactOptional(),
    }),
  ),
  gc: one(
    'How much content was removed, and how much was kept.',
    z.looseObject({
      removed: count,
      kept: count,
      layers: z.strictObject({
        removed: count,
        freedBytes: count,
        kept: count,
        keptBytes: count,
        bytesMax: count,
      }),
    }),
  ),
  merge: one('The branch that the work was merged into.', mergedSchema),
  land: one('The branch that the work landed on.', mergedSchema),
  scrap: one('What was deleted.', discardedSchema),
  reset: one('What was deleted.', discardedSchema),
  'create-pr': one('The pull request.', pullRequestSchema),
  actions: lines(
    'Each action of the run; with --facts, each loop and kind of action.',
    z.union([actionEntrySchema, actionFactSchema]),
  ),
  report: one(
    'What all loops did in the period; with a run, the file that was written.',
    z.union([
      digestSchema,
      z.strictObject({ run: z.strictObject({ id: text, name: text }), file: text, bytes: count }),
    ]),
  ),
  levels: lines('Each level of a loop.', levelStandingSchema),
  'levels set': one('The level afterwards.', levelStandingSchema),
  'levels accept': one('The level afterwards.', levelStandingSchema),
  'levels bars': one('The level, with what is required now.', levelStandingSchema),
  'memory list': lines('Each fact that loops remember, the newest first.', memoryFactSchema),
  'memory show': one('A fact that a loop remembers.', memoryFactSchema),
  'memory forget': one('How many facts were forgotten.', forgottenFactsSchema),
  analyze: one('The result of a run, and its causes.', postmortemSchema),
  worktrees: lines('Each worktree of a run.', worktreeEntrySchema),
  'worktrees clean': lines(
    'Each worktree, and whether it was removed or kept.',
    cleanedWorktreeSchema,
  ),
  'worktree-rm': lines('Each worktree that was removed.', cleanedWorktreeSchema),
}
