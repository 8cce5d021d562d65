/** Operations on the worktrees of runs: list and remove. */

import { isAbsolute } from 'node:path'
import { removeRunWorktree } from '../../host/review/remove-run-worktree.ts'
import { LoopError } from '../../loop/index.ts'
import { cleanedWorktreeSchema, pageSchema, worktreeEntrySchema } from '../../protocol/api/index.ts'
import { json, type Operation, ok, operation } from './operation.ts'
import { flag, text } from './parameter.ts'
import { paged, pageOf } from './run-parameters.ts'

const tag = 'worktrees'
const repository = text({
  description: 'Only worktrees of this repository: an absolute path in it. Default: of all runs.',
  example: '/home/me/shop',
  max: 4096,
  pattern: /^[^\0]*$/,
})

const list = operation({
  id: 'listWorktrees',
  method: 'get',
  path: '/worktrees',
  tag,
  summary: 'List the git worktrees of runs, with their sizes.',
  query: { ...paged, workspace: repository },
  responses: { 200: json('A page of them.', pageSchema(worktreeEntrySchema)) },
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
  summary: 'Remove one worktree, or those of all ended runs.',
  description: 'Keeps uncommitted work and worktrees that runs did not create.',
  query: {
    workspace: repository,
    path: text({
      description: 'Only this worktree: its folder, or its run.',
      example: '/home/me/shop.run-calm-otters-sing',
      max: 4096,
      pattern: /^[^\0]*$/,
    }),
    force: flag('With `path`: even if its work is saved nowhere else.'),
    dryRun: flag('Without `path`: only report what would be removed.'),
  },
  responses: { 200: json('The result for each worktree.', pageSchema(cleanedWorktreeSchema)) },
  problems: [404, 409, 422, 501],
  async handle({ host, log }, { query: { workspace, path, force, dryRun } }) {
    const where = within(workspace)
    if (path !== undefined) {
      return ok({ items: [await removeRunWorktree(host, { worktree: path, force, ...where })] })
    }
    if (force) {
      const message = 'query.force: it needs path, which names one worktree.'
      throw new LoopError('bad-request', message)
    }
    return ok({ items: await host.cleanWorktrees({ ...where, dryRun, onProblem: warn(log) }) })
  },
})

function within(workspace: string | undefined): { readonly repository?: string } {
  if (workspace === undefined) return {}
  if (isAbsolute(workspace)) return { repository: workspace }
  const message = `query.workspace: "${workspace.slice(0, 200)}" is not an absolute path. Use one that starts with /.`
  throw new LoopError('bad-request', message)
}

const warn =
  (log: { warn(fields: object, text: string): void }) =>
  (problem: string): void =>
    log.warn({}, problem)

export const worktreeOperations: readonly Operation[] = [list, remove]
