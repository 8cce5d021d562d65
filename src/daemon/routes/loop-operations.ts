/** Operations on loop files before a run: what they may do, and what a run would do. */

import { homedir } from 'node:os'
import { moreChecks, runLimits, runWorktree } from '../../definition/config/apply-settings.ts'
import { loadDaemonConfig } from '../../definition/config/load-config.ts'
import { loopDefaults } from '../../definition/config/loop-defaults.ts'
import { loadLoop, previewLoop } from '../../launch/load-loop.ts'
import { planRun } from '../../launch/plan/plan-run.ts'
import { wouldWait } from '../../launch/plan/would-wait.ts'
import { policyOfProject } from '../../launch/policy/open-run-policy.ts'
import { requireAbsolute } from '../../launch/start/require-absolute.ts'
import { defined } from '../../loop/index.ts'
import {
  newRunSchema,
  planSchema,
  previewRequestSchema,
  previewSchema,
} from '../../protocol/api/index.ts'
import { json, type Operation, ok, operation } from './operation.ts'

const tag = 'loops'

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
    const { file, workspace, here, input, changes, limits, worktree, attended } = body
    for (const path of [file, workspace, here]) requireAbsolute(path)
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

export const loopOperations: readonly Operation[] = [preview, plan]
