/** What the commands print that look at the record and keep it. */

import { z } from 'zod'
import {
  cleanedWorktreeSchema,
  diffSchema,
  mergedSchema,
  worktreeEntrySchema,
} from '../api/changes.ts'
import { postmortemSchema } from '../api/postmortem.ts'
import { worktreeRemovedSchema } from '../api/removed-run.ts'
import { discardedSchema, pullRequestSchema } from '../api/review.ts'
import { runDetailSchema, runSchema } from '../api/run.ts'
import { checkpointFileSchema } from '../checkpoint.ts'
import { endingSchema, faultSchema } from '../event-parts.ts'
import { stepKindSchema } from '../event-schema.ts'
import { amountSchema } from '../run-values.ts'
import { count, milliseconds, ordinal } from '../values.ts'
import { type CommandOutput, lines, one, text, texts } from './command-output.ts'

const stepShown = z.strictObject({
  step: text,
  kind: stepKindSchema,
  attempts: ordinal,
  state: z.enum(['under-way', 'done', 'failed', 'interrupted']),
  tookMs: milliseconds.exactOptional(),
  fault: faultSchema.exactOptional(),
  result: z.unknown().exactOptional(),
  /** Its result is in a place of its own. */
  shown: z.literal(true).exactOptional(),
})

const toolUse = z.strictObject({
  calls: count,
  failed: count,
  ms: milliseconds,
  outputBytes: count,
})

const iterationShown = z.strictObject({
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
  steps: z.array(stepShown),
})

const reviewShown = z.strictObject({
  run: z.strictObject({ id: text, name: text }),
  question: text,
  observed: text,
  files: z.array(z.strictObject({ path: text, needsApproval: z.boolean(), patch: text })),
  code: text,
})

/** A body is JSON, text, or what else a provider said. */
const exchangeShown = z.looseObject({
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

export const recordOutputs: Readonly<Record<string, CommandOutput>> = {
  list: lines('Each run.', runSchema),
  inspect: one('A run, with all that is known about it.', runDetailSchema),
  show: one(
    'An iteration; with --exchange one exchange, with --prompt, --report or --check a text.',
    z.union([iterationShown, exchangeShown, z.strictObject({ text })]),
  ),
  diff: one(
    'What a run changed; with --review all that its open question asks to approve.',
    z.union([diffSchema, reviewShown]),
  ),
  export: one('A checkpoint, as a file.', checkpointFileSchema),
  files: one(
    'The whole name of the tree, and where its files are.',
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
  merge: one('Where the work of a run went.', mergedSchema),
  scrap: one('What went, and what was in it.', discardedSchema),
  reset: one('What went, and what was in it.', discardedSchema),
  'create-pr': one('The pull request.', pullRequestSchema),
  analyze: one('What came of a run, and why.', postmortemSchema),
  worktrees: lines('Each worktree of a run.', worktreeEntrySchema),
  'worktrees clean': lines(
    'Each worktree that was looked at, removed or kept.',
    cleanedWorktreeSchema,
  ),
  'worktree-rm': lines('Each worktree that was removed.', cleanedWorktreeSchema),
}
