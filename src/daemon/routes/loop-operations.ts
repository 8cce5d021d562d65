/** Operations on loop files before a run: which there are, what they may do, and what a run would do and need. */

import { homedir } from 'node:os'
import { moreChecks, runLimits, runWorktree } from '../../definition/config/apply-settings.ts'
import { loadDaemonConfig } from '../../definition/config/load-config.ts'
import { loopDefaults } from '../../definition/config/loop-defaults.ts'
import { viewRuns } from '../../history/views/view-runs.ts'
import { completeInput } from '../../launch/complete-input.ts'
import { findLoops, requireFolder } from '../../launch/find-loops.ts'
import { loadLoop, previewLoop, trustedLoops } from '../../launch/load-loop.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import { planRun } from '../../launch/plan/plan-run.ts'
import { wouldWait } from '../../launch/plan/would-wait.ts'
import { policyOfProject } from '../../launch/policy/open-run-policy.ts'
import { runFirstStage } from '../../launch/preflight/look-ahead.ts'
import { requireAbsolute } from '../../launch/start/require-absolute.ts'
import { workspaceFor } from '../../launch/start/workspace-for.ts'
import { defined } from '../../loop/index.ts'
import {
  catalogListingSchema,
  findLoopsSchema,
  loopListingSchema,
  type NewRunRequest,
  newRunSchema,
  planSchema,
  previewRequestSchema,
  previewSchema,
  type RunSettings,
  startFindingsSchema,
} from '../../protocol/api/index.ts'
import type { DaemonParts } from '../parts.ts'
import { openBook } from '../schedules/book.ts'
import { json, type Operation, ok, operation } from './operation.ts'

const tag = 'loops'

const recentRuns = 200

const list = operation({
  id: 'listLoops',
  method: 'get',
  path: '/loops',
  tag,
  summary: 'List the loop files of the projects that are known here, with the input of each.',
  description:
    'Known are projects with trusted loop files, schedules or recent runs. Runs nothing of a file.',
  responses: { 200: json('The loop files, by project.', loopListingSchema) },
  isLive: true,
  async handle({ host }) {
    const [trusted, book, runs] = await Promise.all([
      trustedLoops(host.folder),
      openBook(host.journal.schedules),
      viewRuns(host, { limit: recentRuns }),
    ])
    const definitions = book.entries().map(({ definition }) => definition)
    const folders = runs.items.flatMap((run) => run.repository ?? run.workspace ?? [])
    const items = await findLoops({
      state: host.folder,
      files: [...trusted.map(({ file }) => file), ...definitions.map(({ file }) => file)],
      folders: [...new Set(folders)],
      ...defined({ types: host.loopTypes }),
    })
    return ok({ items })
  },
})

const find = operation({
  id: 'findLoops',
  method: 'post',
  path: '/loops/find',
  tag,
  summary: 'List the loop files of a folder, with the input of each.',
  description: 'They are in `loops/` and at the top of the folder. Runs nothing of a file.',
  body: { schema: findLoopsSchema, example: { folder: '/home/me/shop' } },
  responses: { 200: json('The loop files, by name.', loopListingSchema) },
  problems: [404],
  async handle({ host }, { body }) {
    requireAbsolute(body.folder, 'folder')
    const folders = [await requireFolder(body.folder)]
    const items = await findLoops({
      state: host.folder,
      folders,
      ...defined({ types: host.loopTypes }),
    })
    return ok({ items })
  },
})

const preview = operation({
  id: 'previewLoop',
  method: 'post',
  path: '/loops/preview',
  tag,
  summary: 'Get what a loop file may do, and whether its content is trusted.',
  description: 'Runs nothing. To run it, pass its `digest` as `trust`.',
  body: { schema: previewRequestSchema, example: { file: '/home/me/shop/fix-tests.yaml' } },
  responses: { 200: json('The file.', previewSchema) },
  problems: [404, 422, 501],
  async handle({ host, reads }, { body }) {
    requireAbsolute(body.file)
    return ok(await previewLoop(body.file, host.folder, defined({ types: host.loopTypes, reads })))
  },
})

const plan = operation({
  id: 'planRun',
  method: 'post',
  path: '/loops/plan',
  tag,
  summary: 'Plan a run: its prompt, worktree, checks and limits.',
  description: 'Takes the body of a new run. Creates, starts and spends nothing.',
  body: { schema: newRunSchema, example: { file: '/home/me/shop/fix-tests.yaml' } },
  responses: { 200: json('The plan.', planSchema) },
  problems: [404, 409, 422, 501],
  async handle({ host, scheduler, settings: own }, { body, signal }) {
    const { workspace, limits, worktree, attended } = body
    const { loaded, settings } = await lookAt(host, body, signal)
    const where = workspace ?? loaded.workspace
    const planned = await planRun(host, loaded, {
      workspace: where,
      worktree: runWorktree(loaded.worktree, settings, worktree),
      isVouched: worktree?.use === true,
      logDir: settings.artifacts?.logDir,
      limits: runLimits(loaded.limits, settings, limits),
      attended: attended === true,
    })
    const at = { workspace: where, isInPlace: !planned.worktree.isUsed }
    return ok({ ...planned, queue: wouldWait(await scheduler.queue(), own, at) })
  },
})

const preflight = operation({
  id: 'preflightRun',
  method: 'post',
  path: '/loops/preflight',
  tag,
  summary: 'Find what prevents a run: its input, agent, key, sandbox, disk, lockfile, programs.',
  description:
    'Takes the body of a new run. Starts nothing of the project and spends nothing; a run also tries its checks before it begins.',
  body: { schema: newRunSchema, example: { file: '/home/me/shop/fix-tests.yaml' } },
  responses: { 200: json('What was found.', startFindingsSchema) },
  problems: [404, 409, 422, 501],
  async handle({ host }, { body, signal }) {
    const read = await lookAt(host, body, signal)
    const workspace = workspaceFor(body.workspace, read.loaded)
    const { loaded } = await completeInput(read.loaded, workspace, host.loopTypes)
    const findings = await runFirstStage(loaded, {
      workspace,
      folder: host.folder,
      attended: body.attended === true,
      ...defined({ types: host.loopTypes }),
    })
    const ready = findings.every(({ status }) => status !== 'problem')
    return ok({ loop: loaded.name, findings, ready })
  },
})

/** As a new run would read it, without opening anything. */
async function lookAt(
  host: DaemonParts['host'],
  body: NewRunRequest,
  signal: AbortSignal,
): Promise<{ readonly loaded: LoadedLoop; readonly settings: RunSettings }> {
  for (const name of ['file', 'workspace', 'here'] as const) requireAbsolute(body[name], name)
  const { file, here, input, changes } = body
  const settings = body.settings ?? (await loadDaemonConfig()).settings
  const loaded = await loadLoop(file, {
    folder: host.folder,
    here: here ?? homedir(),
    purpose: 'look',
    defaultModel: settings.model,
    ...moreChecks(settings.checks),
    ...(await loopDefaults(settings)),
    ...(await policyOfProject(settings.policy)),
    signal,
    onLine: () => undefined,
    ...defined({ input, changes, types: host.loopTypes }),
  })
  return { loaded, settings }
}

const catalog = operation({
  id: 'listCatalog',
  method: 'get',
  path: '/catalog',
  tag,
  summary: 'List the ready loops for common chores, and what each needs.',
  responses: { 200: json('The loops of the catalog.', catalogListingSchema) },
  async handle() {
    const { readCatalog } = await import('../../launch/catalog/read-catalog.ts')
    return ok({ items: (await readCatalog()).map(({ entry }) => entry) })
  },
})

export const loopOperations: readonly Operation[] = [list, find, preview, plan, preflight, catalog]
