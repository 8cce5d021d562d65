/** Operations on the work of runs: diffs, merges, pull requests, discarding. */

import { z } from 'zod'
import { systemClock } from '../../engine/index.ts'
import { reviewDiff } from '../../history/review-diff.ts'
import { viewActionFacts, viewActions } from '../../history/views/view-actions.ts'
import type { MergeResult } from '../../host/merge-run.ts'
import { createPullRequest } from '../../host/review/create-pull-request.ts'
import { resetRun } from '../../host/review/reset-run.ts'
import { scrapRun } from '../../host/review/scrap-run.ts'
import { recordEscape } from '../../launch/levels/record-escape.ts'
import { defined, LoopError } from '../../loop/index.ts'
import {
  actionEntrySchema,
  actionFactsSchema,
  actionListSchema,
  controlSchema,
  diffSchema,
  discardedSchema,
  escapeSchema,
  landSchema,
  type MergeResponse,
  mergedSchema,
  mergeSchema,
  pullRequestRequestSchema,
  pullRequestSchema,
  reviewDiffSchema,
} from '../../protocol/api/index.ts'
import { toDecider } from '../decider.ts'
import type { RequestBindings } from '../principal.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { flag, oneOf, orElse, whole } from './parameter.ts'
import { inRun } from './run-parameters.ts'

const tag = 'work'
/** 501: git is not installed. */
const problems = [404, 409, 501]

/** The identity of the token, and what the request claims if that differs. */
function requester(
  { env }: { readonly env?: RequestBindings },
  { by }: { readonly by?: string },
): string {
  const { name, claimed } = toDecider(env?.principal, by)
  return claimed === undefined ? name : `${name} (as ${claimed})`
}

const diff = operation({
  id: 'getDiff',
  method: 'get',
  path: '/runs/{run}/diff',
  tag,
  summary: 'Get the changes of a run, or of one of its iterations.',
  params: inRun,
  query: {
    iteration: whole({
      description: 'Only the changes of this iteration.',
      example: 2,
      max: 1_000_000,
    }),
    stat: flag('Only file names and numbers of changed lines.'),
    view: orElse(
      oneOf(['patch', 'review'], {
        description: 'One patch, or commits and files with a patch each, for reviews.',
        example: 'patch',
      }),
      'patch',
    ),
  },
  responses: { 200: json('The difference.', z.union([diffSchema, reviewDiffSchema])) },
  problems,
  async handle({ host }, { params, query: { iteration, stat, view } }) {
    if (view === 'review') return ok(await reviewDiff(host, params.run))
    return ok(await host.diff(params.run, { stat, ...defined({ iteration }) }))
  },
})

const merge = operation({
  id: 'mergeRun',
  method: 'post',
  path: '/runs/{run}/merge',
  tag,
  summary: 'Merge the work of a completed run into a branch. Touches no checkout.',
  description: 'A conflict changes nothing and is a problem (409) that names the files.',
  params: inRun,
  body: { schema: mergeSchema, example: { into: 'agent/fix-tests', strategy: 'squash' } },
  responses: { 200: json('The result of the merge.', mergedSchema) },
  problems,
  async handle({ host }, { params, body, context }) {
    const result = await host.merge(params.run, { ...body, by: requester(context, body) })
    return ok(requireMerged(params.run, result))
  },
})

const land = operation({
  id: 'landRun',
  method: 'post',
  path: '/runs/{run}/land',
  tag,
  summary: 'Merge the branch with the work of a completed run into a branch of the user.',
  description:
    'It moves forward if it can; otherwise the merged files are certified first. A branch that is checked out, and a conflict, change nothing and are a problem (409).',
  params: inRun,
  body: { schema: landSchema, example: { onto: 'main' } },
  responses: { 200: json('The result.', mergedSchema) },
  problems,
  async handle({ host }, { params, body, context }) {
    const result = await host.land(params.run, { ...body, by: requester(context, body) })
    return ok(requireMerged(params.run, result))
  },
})

function requireMerged(run: string, result: MergeResult): MergeResponse {
  if (result.status !== 'conflict') return result
  const { target, branch, files, reason } = result
  const message =
    files.length === 0
      ? `${run}: ${reason} Nothing was changed. Run the loop again from ${target}.`
      : `${run} conflicts with ${target} in ${files.join(', ')}. Nothing was changed. ` +
        `Merge ${branch} by hand, or run the loop again from ${target}.`
  const details = files.length === 0 ? {} : { conflict: { target, branch, files } }
  throw new LoopError('wrong-status', message, { details })
}

const createPr = operation({
  id: 'createPullRequest',
  method: 'post',
  path: '/runs/{run}/create-pr',
  tag,
  summary: 'Push the branch of a certified run and open a pull request with `gh`.',
  params: inRun,
  body: { schema: pullRequestRequestSchema, example: { base: 'main', draft: true } },
  responses: { 201: json('The pull request.', pullRequestSchema) },
  problems,
  async handle({ host }, { params, body, context }) {
    const by = requester(context, body)
    const made = await createPullRequest(host, params.run, { ...body, by })
    return { status: 201, value: made }
  },
})

const scrap = operation({
  id: 'scrapRun',
  method: 'post',
  path: '/runs/{run}/scrap',
  tag,
  summary: 'Delete the worktree and branch of an ended run. The run stays in the journal.',
  params: inRun,
  body: { schema: controlSchema, example: { by: 'ada' } },
  responses: { 200: json('What was deleted.', discardedSchema) },
  problems,
  async handle({ host }, { params, body, context }) {
    return ok(await scrapRun(host, params.run, { by: requester(context, body) }))
  },
})

const reset = operation({
  id: 'resetRun',
  method: 'post',
  path: '/runs/{run}/reset',
  tag,
  summary: 'Cancel a run and delete its worktree and branch. The run stays in the journal.',
  params: inRun,
  body: { schema: controlSchema, example: { by: 'ada' } },
  responses: { 200: json('What was deleted.', discardedSchema) },
  problems,
  async handle({ host, scheduler }, { params, body, context, signal }) {
    const { id } = await host.journal.findRun(params.run)
    if (scheduler.entry(id)?.state === 'queued') await scheduler.release(id)
    return ok(await resetRun(host, id, { by: requester(context, body), signal }))
  },
})

const actions = operation({
  id: 'listActions',
  method: 'get',
  path: '/runs/{run}/actions',
  tag,
  summary:
    'List the actions of a run: proposed, allowed by which rule or person, and their receipts.',
  params: inRun,
  responses: { 200: json('Its actions.', actionListSchema) },
  problems: [404, 409],
  async handle({ host }, { params }) {
    const { id } = await host.journal.findRun(params.run)
    return ok({ items: await viewActions(host, id) })
  },
})

const escaped = operation({
  id: 'recordEscape',
  method: 'post',
  path: '/runs/{run}/actions',
  tag,
  summary:
    'Record that an action which was performed turned out to be wrong, for example reverted.',
  params: inRun,
  body: {
    schema: escapeSchema,
    example: { key: 'run/person/merge#1', reason: 'reverted', by: 'ada' },
  },
  responses: { 200: json('The action.', actionEntrySchema) },
  problems,
  async handle({ host }, { params, body, context }) {
    const escape = { ...body, by: requester(context, body) }
    return ok(await recordEscape({ ...host, clock: systemClock }, params.run, escape))
  },
})

const facts = operation({
  id: 'listActionFacts',
  method: 'get',
  path: '/actions',
  tag,
  summary: 'Count the actions of all runs by loop, repository and kind: done, failed, escaped.',
  responses: { 200: json('The counts.', actionFactsSchema) },
  problems: [],
  async handle({ host }) {
    return ok({ items: await viewActionFacts(host) })
  },
})

export const workOperations: readonly Operation[] = [
  diff,
  merge,
  land,
  createPr,
  scrap,
  reset,
  actions,
  escaped,
  facts,
]
