/** Plans a run of a loop file. Creates, starts and spends nothing. */

import { defaultLimits, defined, type Limits } from '../../loop/index.ts'
import type { Plan } from '../../protocol/api/index.ts'
import { requireLogDir, requireOnlyRuns } from '../../runs/log-dir.ts'
import type { Runs } from '../../runs/runs.ts'
import { planWorktree, type WorktreeChoice } from '../../runs/worktree-options.ts'
import { folderExists } from '../../system/index.ts'
import { planChecks } from '../checks/plan-checks.ts'
import { completeInput } from '../complete-input.ts'
import type { LaunchHost } from '../launch-host.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { openRunPolicy } from '../policy/open-run-policy.ts'
import { firstPrompt } from '../to-loop-type.ts'
import { estimateCost } from './estimate-cost.ts'
import { estimateFromHistory } from './estimate-from-history.ts'
import { planSandbox } from './plan-sandbox.ts'

export interface PlanOptions {
  readonly workspace: string
  readonly worktree: WorktreeChoice
  /** The user vouches for the repository, even if an agent may have created it. */
  readonly isVouched?: boolean
  /** Override those of the file. */
  readonly limits?: Partial<Limits>
  /** Untracked files that do not count as uncommitted changes, besides those of the loop: absolute paths. */
  readonly excludedPaths?: readonly string[]
  readonly logDir?: string | undefined
  /** The run would be attended: a strong sandbox is not required. */
  readonly attended?: boolean
}

export async function planRun(
  host: Pick<Runs, 'folder'> & Partial<Pick<LaunchHost, 'journal' | 'loopTypes'>>,
  read: LoadedLoop,
  options: PlanOptions,
): Promise<Plan> {
  const { workspace, worktree, isVouched = false, attended = false, limits: given } = options
  folderExists(workspace)
  const { loaded, captured } = await completeInput(read, workspace, host.loopTypes)
  const excludedPaths = [...loaded.files, ...captured, ...(options.excludedPaths ?? [])]
  requireOnlyRuns(workspace, requireLogDir(options.logDir))
  const { name, input, powers, warnings, variables } = loaded
  const limits = { ...defaultLimits, ...loaded.limits, ...given }
  const prompt = await firstPrompt(loaded, limits, workspace, host.loopTypes)
  const { checks, scope, seals, certify } = await planChecks(loaded, workspace)
  const past = await estimateFromHistory(host, name)
  const journal = host.journal ?? { makerOfGit: async () => undefined }
  return {
    loop: name,
    workspace,
    worktree: await planWorktree(workspace, worktree, {
      ...host,
      journal,
      isVouched,
      excludedPaths,
    }),
    limits,
    input,
    variables,
    powers,
    warnings,
    ...defined({ prompt }),
    checks,
    scope,
    seals,
    certify,
    policy:
      (await openRunPolicy(loaded, { folder: host.folder, isLook: true }))?.inEffect ?? 'none',
    sandbox: await planSandbox(loaded.sandbox, attended),
    estimate: await estimateCost(loaded.agents, prompt, limits, past),
  }
}
