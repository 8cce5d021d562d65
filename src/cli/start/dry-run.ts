/** `run --dry-run` and `prompt`: what a run would do. Creates, starts and spends nothing. */

import type { Command } from 'commander'
import type { Host } from '../../host/host.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import { defined, type Limits, LoopError } from '../../loop/index.ts'
import type { Plan } from '../../protocol/api/index.ts'
import { reach } from '../connection/reach.ts'
import { visibleText } from '../display/render.ts'
import { limitsFrom } from '../limit-options.ts'
import { askedWorktree, changesFrom } from '../run-options.ts'
import { hasStateFolder, openSession, readStateFolder, type Session, withHost } from '../session.ts'
import { settingsHere } from '../settings-here.ts'
import { loadTrusted } from '../trust.ts'
import { outputFiles } from './output-files.ts'
import { showPlan } from './plan.ts'
import type { RunOptions } from './start-options.ts'

/** `rule`: why this loop was chosen for a spec. */
export async function dryRun(
  program: Command,
  file: string,
  options: RunOptions,
  rule?: string,
): Promise<void> {
  const session = openSession(program)
  await withLoadedLoop(program, session, file, options, async (loaded, limits, settings) => {
    const { runWorktree } = await import('../../definition/config/apply-settings.ts')
    const { planRun } = await import('../../launch/plan/plan-run.ts')
    const { workspaceFor } = await import('../../launch/start/workspace-for.ts')
    const workspace = workspaceFor(options.workspace, loaded)
    const show = async (host: Pick<Host, 'folder'> & Partial<Host>): Promise<void> => {
      const planned = await planRun(host, loaded, {
        workspace,
        worktree: runWorktree(loaded.worktree, settings, askedWorktree(options)),
        isVouched: options.worktree === true,
        excludedPaths: outputFiles(),
        logDir: settings.artifacts.logDir,
        attended: session.terminal.asks || options.attended === true,
        limits,
      })
      const at = { workspace, isInPlace: !planned.worktree.isUsed }
      showPlan(session, { ...planned, ...defined({ rule }), ...(await askQueue(program, at)) })
    }
    // A dry run creates no state folder.
    if (await hasStateFolder(program)) await withHost(program, show)
    else await show({ folder: await readStateFolder(program) })
  })
}

/** What the run would wait for, if a daemon is running. Starts none. */
async function askQueue(
  program: Command,
  at: { readonly workspace: string; readonly isInPlace: boolean },
): Promise<Pick<Plan, 'queue'>> {
  try {
    const way = await reach(program, 'look')
    if (way.type === 'in-process') return {}
    const { wouldWait } = await import('../../launch/plan/would-wait.ts')
    const [entries, { settings }] = await Promise.all([way.client.queue(), way.client.daemon()])
    return { queue: wouldWait(entries, settings, at) }
  } catch {
    return {}
  }
}

/** Only the first prompt, as the agent would get it. */
export async function showPrompt(
  program: Command,
  file: string,
  options: RunOptions,
): Promise<void> {
  const session = openSession(program)
  await withLoadedLoop(program, session, file, options, async (loaded, limits) => {
    const { workspaceFor } = await import('../../launch/start/workspace-for.ts')
    const workspace = workspaceFor(options.workspace, loaded)
    const { defaultLimits, estimateTokens } = await import('../../loop/index.ts')
    const { firstPrompt } = await import('../../launch/to-loop-type.ts')
    const { completeInput } = await import('../../launch/complete-input.ts')
    const completed = await completeInput(loaded, workspace)
    const prompt = await firstPrompt(completed.loaded, { ...defaultLimits, ...limits }, workspace)
    if (prompt === undefined) {
      const message = `${file} creates its prompt when it runs, so there is none to show yet.`
      throw new LoopError('not-available', `${message} Run it, then: loopctl show <run> 1`)
    }
    const tokens = estimateTokens(prompt)
    session.print({ loop: loaded.name, prompt, tokens }, () => visibleText(prompt).trimEnd())
  })
}

type Settings = Awaited<ReturnType<typeof settingsHere>>['settings']

async function withLoadedLoop(
  program: Command,
  session: Session,
  file: string,
  options: RunOptions,
  work: (loaded: LoadedLoop, limits: Partial<Limits>, settings: Settings) => Promise<void>,
): Promise<void> {
  const { settings } = await settingsHere(program, session, options)
  const { moreChecks, runLimits } = await import('../../definition/config/apply-settings.ts')
  const { loopDefaults } = await import('../../definition/config/loop-defaults.ts')
  const folder = await readStateFolder(program)
  const changes = await changesFrom(options)
  const manner = {
    purpose: 'look',
    changes,
    defaultModel: settings.model,
    ...moreChecks(settings.checks),
    ...(await loopDefaults(settings)),
    policy: settings.policy,
  } as const
  const loaded = await loadTrusted(session, folder, file, options, manner)
  await work(loaded, runLimits(loaded.limits, settings, limitsFrom(options)), settings)
}
