/** The worktrees of runs: which there are, and which can go. */

import { isAbsolute } from 'node:path'
import { removeRunWorktree } from '../../host/review/remove-run-worktree.ts'
import { LoopError } from '../../loop/index.ts'
import { cleanedWorktreeSchema, pageSchema, worktreeEntrySchema } from '../../protocol/api/index.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { flag, text } from './parameter.ts'
import { paged, pageOf } from './run-parameters.ts'

const tag = 'worktrees'
const repository = text({
  description: 'Of this repository: a whole path in it. Of all runs on record unless told.',
  example: '/home/me/shop',
  max: 4096,
  pattern: /^[^\0]*$/,
})

const list = operation({
  id: 'listWorktrees',
  method: 'get',
  path: '/worktrees',
  tag,
  summary: 'The git worktrees of runs, with their sizes.',
  query: { ...paged, workspace: repository },
  answers: { 200: json('A page of them.', pageSchema(worktreeEntrySchema)) },
  problems: [404, 409, 422, 501],
  async handle({ host, log }, { query }) {
    return ok(
      pageOf(await host.worktrees({ ...within(query.workspace), onProblem: warn(log) }), query),
    )
  },
})

const remove = operation({
  id: 'removeWorktrees',
  method: 'delete',
  path: '/worktrees',
  tag,
  summary: 'Takes away one worktree, or those of all runs that have ended.',
  description: 'What is in no commit, and what others made, stays.',
  query: {
    workspace: repository,
    path: text({
      description: 'Only this one: its folder, or the run that works in it.',
      example: '/home/me/shop.run-calm-otters-sing',
      max: 4096,
      pattern: /^[^\0]*$/,
    }),
    force: flag('With `path`: also with work in it that is nowhere else.'),
    dryRun: flag('Without `path`: only says what would be done.'),
  },
  answers: { 200: json('What became of each.', pageSchema(cleanedWorktreeSchema)) },
  problems: [404, 409, 422, 501],
  async handle({ host, log }, { query: { workspace, path, force, dryRun } }) {
    const where = within(workspace)
    if (path !== undefined) {
      return ok({ items: [await removeRunWorktree(host, { worktree: path, force, ...where })] })
    }
    if (force) {
      const message = 'query.force: it is for one worktree. Name it with path.'
      throw new LoopError('bad-request', message)
    }
    return ok({ items: await host.cleanWorktrees({ ...where, dryRun, onProblem: warn(log) }) })
  },
})

function within(workspace: string | undefined): { readonly repository?: string } {
  if (workspace === undefined) return {}
  if (isAbsolute(workspace)) return { repository: workspace }
  const message = `query.workspace: "${workspace.slice(0, 200)}" is no whole path.`
  throw new LoopError('bad-request', `${message} Give it from / on.`)
}

const warn =
  (log: { warn(fields: object, text: string): void }) =>
  (problem: string): void =>
    log.warn({}, problem)

export const worktreeOperations: readonly Operation[] = [list, remove]
