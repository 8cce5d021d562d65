/** What the commands that start, follow and control runs print. */

import { z } from 'zod'
import { inboxQuestionSchema, outputEntrySchema } from '../api/journal-views.ts'
import { planSchema } from '../api/loop-plan.ts'
import { queueEntrySchema } from '../api/queue.ts'
import { runStatusSchema } from '../api/run-status.ts'
import { outcomeSchema } from '../events/event-parts.ts'
import { recordedEventSchema } from '../events/event-schema.ts'
import { roundReportSchema } from '../round/round-report-schema.ts'
import { amountSchema, limitsSchema, someLimitsSchema } from '../run-values.ts'
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

/** The last line of a followed run. */
const endLine = z.union([
  z.strictObject({
    ...runEnded,
    /** For a run in a worktree: where its work is, and what no commit contains. */
    branch: text.exactOptional(),
    workspace: text.exactOptional(),
    leftOut: texts.exactOptional(),
    /** Actions of the last iteration that failed, were refused, or have an unknown result. */
    undone: z
      .array(
        z.strictObject({
          key: text,
          kind: text,
          summary: text,
          status: text,
          reason: text.exactOptional(),
        }),
      )
      .exactOptional(),
    /** Of a round: its report. */
    round: roundReportSchema.exactOptional(),
    comparison: z
      .strictObject({ iteration: count, original: forkSide, fork: forkSide })
      .exactOptional(),
  }),
  z.strictObject({
    run: text,
    name: text,
    type: z.literal('suspended'),
    reason: text,
    round: roundReportSchema.exactOptional(),
  }),
])

const followed = z.union([recordedEventSchema, endLine])

/** With --detach: the daemon accepted it. */
const accepted = z.strictObject({ run: text, name: text, queue: queueEntrySchema.exactOptional() })
const followedOrDetached = z.union([recordedEventSchema, endLine, accepted])

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

const controlled = (what: 'pause' | 'stop' | 'cancel' | 'tell'): CommandOutput =>
  one(
    `Confirms the ${what} request, with the current status of the run.`,
    z.strictObject({
      run: text,
      told: z.literal(what),
      status: runStatusSchema,
      held: z.boolean(),
    }),
  )

export const runOutputs: Readonly<Record<string, CommandOutput>> = {
  run: lines(
    'Each event of the run, then its outcome; with --detach, its name; with --dry-run, the plan.',
    z.union([followedOrDetached, planSchema]),
  ),
  tune: lines(
    'Each event of the run, then its outcome; with --detach, its name; with --dry-run, the plan.',
    z.union([followedOrDetached, planSchema]),
  ),
  resume: lines('Each new event, then the outcome; with --detach, the name.', followedOrDetached),
  fork: lines(
    'Each event of the fork, then its outcome next to that of the original; with --detach, its name.',
    followedOrDetached,
  ),
  retry: lines(
    'Each event of the new run, then its outcome; with --detach, its name.',
    followedOrDetached,
  ),
  watch: lines('Each new event, then the outcome.', followed),
  replay: one('The outcome of the replay, and where it differs from the recorded run.', replayed),
  tail: lines(
    'Each event of the run; with --output, what agents and checks printed.',
    z.union([recordedEventSchema, outputEntrySchema]),
  ),
  output: lines('What the agents and checks of a run printed.', outputEntrySchema),
  prompt: one(
    'The first prompt of a loop.',
    z.strictObject({ loop: text, prompt: text, tokens: count }),
  ),
  queue: lines('Each run in the queue of the daemon.', queueEntrySchema),
  inbox: lines('Each open question.', inboxQuestionSchema),
  pause: controlled('pause'),
  stop: controlled('stop'),
  cancel: controlled('cancel'),
  tell: controlled('tell'),
  limits: one(
    'The limits of a run and how much of each is used; with options, what was changed.',
    z.strictObject({
      run: text,
      status: runStatusSchema,
      held: z.boolean(),
      limits: limitsSchema,
      spent: amountSchema,
      spentByRole: z.record(z.string(), amountSchema),
      use: z.array(
        z.strictObject({
          limit: text,
          current: z.number(),
          max: z.number(),
          remaining: z.number(),
          warned: z.boolean(),
        }),
      ),
      changed: z
        .strictObject({ limits: someLimitsSchema, by: text, reason: text.exactOptional() })
        .exactOptional(),
    }),
  ),
  answer: one(
    'The answered question, with the current status of the run.',
    z.strictObject({ run: text, answered: text, status: runStatusSchema, held: z.boolean() }),
  ),
}
