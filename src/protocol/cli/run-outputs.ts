/** What the commands print that start runs, follow them and talk to them. */

import { z } from 'zod'
import { planSchema } from '../api/loop-plan.ts'
import { queueEntrySchema } from '../api/queue.ts'
import { inboxQuestionSchema, outputEntrySchema } from '../api/record-views.ts'
import { runStatusSchema } from '../api/run-status.ts'
import { outcomeSchema } from '../event-parts.ts'
import { recordedEventSchema } from '../event-schema.ts'
import { amountSchema } from '../run-values.ts'
import { count } from '../values.ts'
import { type CommandOutput, lines, one, text, texts } from './command-output.ts'

const forkSide = z.strictObject({
  name: text,
  status: runStatusSchema,
  outcome: outcomeSchema.exactOptional(),
  iterations: count,
  spent: amountSchema,
})

const runEnded = {
  run: text,
  name: text,
  type: z.literal('ended'),
  outcome: outcomeSchema,
}

/** The last line of a run that was followed. */
const endLine = z.union([
  z.strictObject({
    ...runEnded,
    /** Of a run in a worktree: where its work is, and what is in no commit. */
    branch: text.exactOptional(),
    workspace: text.exactOptional(),
    leftOut: texts.exactOptional(),
    comparison: z
      .strictObject({ iteration: count, original: forkSide, fork: forkSide })
      .exactOptional(),
  }),
  z.strictObject({ run: text, name: text, type: z.literal('suspended'), reason: text }),
])

const followed = z.union([recordedEventSchema, endLine])

/** With --detach: the daemon has it. */
const accepted = z.strictObject({ run: text, name: text, queue: queueEntrySchema.exactOptional() })
const followedOrNot = z.union([recordedEventSchema, endLine, accepted])

const replayed = z.union([
  z.strictObject({
    ...runEnded,
    of: z.strictObject({ run: text, name: text, outcome: outcomeSchema.exactOptional() }),
    same: z.boolean(),
    complete: z.boolean(),
    end: text.exactOptional(),
    difference: z
      .strictObject({
        iteration: count.exactOptional(),
        step: text.exactOptional(),
        message: text,
        files: texts.exactOptional(),
        text,
      })
      .exactOptional(),
    exchanges: count,
    iterations: count,
    recorded: amountSchema,
    requests: z.literal(0),
    paid: amountSchema,
    workspace: text.exactOptional(),
  }),
  z.strictObject({ run: text, name: text, type: z.literal('suspended'), reason: text }),
])

const told = (what: 'pause' | 'stop' | 'cancel'): CommandOutput =>
  one(
    `That a run was told to ${what}, and how it is now.`,
    z.strictObject({
      run: text,
      told: z.literal(what),
      status: runStatusSchema,
      held: z.boolean(),
    }),
  )

export const runOutputs: Readonly<Record<string, CommandOutput>> = {
  run: lines(
    'Each event of the run, then its end; with --detach its name, with --dry-run the plan.',
    z.union([followedOrNot, planSchema]),
  ),
  resume: lines('Each event from here on, then the end; with --detach its name.', followedOrNot),
  fork: lines(
    'Each event of the fork, then its end beside that of the original; with --detach its name.',
    followedOrNot,
  ),
  retry: lines('Each event of the new run, then its end; with --detach its name.', followedOrNot),
  watch: lines('Each event from here on, then the end.', followed),
  replay: one('How the replay ended, and where it differs from the record.', replayed),
  tail: lines(
    'Each event of the run; with --output what was said and printed.',
    z.union([recordedEventSchema, outputEntrySchema]),
  ),
  output: lines('What the agent of a run said and its checks printed.', outputEntrySchema),
  prompt: one(
    'The first prompt of a loop.',
    z.strictObject({ loop: text, prompt: text, tokens: count }),
  ),
  queue: lines('Each run that the daemon has to drive.', queueEntrySchema),
  inbox: lines('Each question that people are asked.', inboxQuestionSchema),
  pause: told('pause'),
  stop: told('stop'),
  cancel: told('cancel'),
  answer: one(
    'Which question was answered, and how the run is now.',
    z.strictObject({ run: text, answered: text, status: runStatusSchema, held: z.boolean() }),
  ),
}
