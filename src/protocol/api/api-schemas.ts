/** All schemas of the API's requests and responses, for readers who do not use OpenAPI. */

import type { z } from 'zod'
import { runPanelsSchema } from '../panel/panel-schema.ts'
import { artifactSchema, certificateEntrySchema } from './artifacts.ts'
import { cleanedWorktreeSchema, diffSchema, mergedSchema, worktreeEntrySchema } from './changes.ts'
import {
  answerSchema,
  controlSchema,
  forkSchema,
  landSchema,
  limitsRequestSchema,
  mergeSchema,
  resumeSchema,
  retrySchema,
  tellSchema,
} from './control-requests.ts'
import { daemonInfoSchema, healthSchema, readinessSchema } from './daemon-info.ts'
import { digestSchema } from './digest.ts'
import { exchangeViewSchema } from './exchange-view.ts'
import {
  evidenceEntrySchema,
  inboxQuestionSchema,
  iterationSummarySchema,
  ledgerSchema,
  outputEntrySchema,
  progressSchema,
  stepSchema,
} from './journal-views.ts'
import {
  levelBarsSchema,
  levelEntrySchema,
  levelListSchema,
  levelRequestSchema,
  levelStandingSchema,
} from './levels.ts'
import { planSchema, previewRequestSchema, previewSchema } from './loop-plan.ts'
import {
  catalogListingSchema,
  findLoopsSchema,
  loopListingSchema,
  startFindingsSchema,
} from './loops.ts'
import { forgottenFactsSchema, memoryFactSchema } from './memory.ts'
import { mergeLinesSchema } from './merge-lines.ts'
import { newRunSchema } from './new-run.ts'
import { postmortemRequestSchema, postmortemSchema } from './postmortem.ts'
import { problemSchema } from './problem.ts'
import { queueEntrySchema } from './queue.ts'
import { runRemovedSchema } from './removed-run.ts'
import {
  discardedSchema,
  pullRequestRequestSchema,
  pullRequestSchema,
  reviewDiffSchema,
} from './review.ts'
import { runAnswerSchema, runDetailSchema, runSchema } from './run.ts'
import {
  addedScheduleSchema,
  newScheduleSchema,
  scheduleListSchema,
  schedulePauseSchema,
  scheduleSchema,
  tickSchema,
} from './schedules.ts'

/** Each is also registered under its name. */
export const apiSchemas: readonly z.ZodType[] = [
  answerSchema,
  tellSchema,
  artifactSchema,
  certificateEntrySchema,
  cleanedWorktreeSchema,
  daemonInfoSchema,
  diffSchema,
  digestSchema,
  discardedSchema,
  evidenceEntrySchema,
  exchangeViewSchema,
  forgottenFactsSchema,
  forkSchema,
  healthSchema,
  inboxQuestionSchema,
  iterationSummarySchema,
  ledgerSchema,
  levelBarsSchema,
  levelEntrySchema,
  levelListSchema,
  levelRequestSchema,
  levelStandingSchema,
  limitsRequestSchema,
  mergedSchema,
  mergeLinesSchema,
  landSchema,
  catalogListingSchema,
  findLoopsSchema,
  loopListingSchema,
  startFindingsSchema,
  memoryFactSchema,
  mergeSchema,
  newRunSchema,
  outputEntrySchema,
  planSchema,
  postmortemRequestSchema,
  postmortemSchema,
  previewRequestSchema,
  previewSchema,
  problemSchema,
  progressSchema,
  pullRequestRequestSchema,
  pullRequestSchema,
  queueEntrySchema,
  readinessSchema,
  resumeSchema,
  retrySchema,
  reviewDiffSchema,
  runAnswerSchema,
  runDetailSchema,
  runPanelsSchema,
  runRemovedSchema,
  runSchema,
  newScheduleSchema,
  addedScheduleSchema,
  scheduleSchema,
  scheduleListSchema,
  schedulePauseSchema,
  tickSchema,
  stepSchema,
  controlSchema,
  worktreeEntrySchema,
]
