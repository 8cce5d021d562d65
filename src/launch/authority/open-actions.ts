/** Opens the executors of a run whose loop file names actions. */

import { isAbsolute, join } from 'node:path'
import {
  applyPatchExecutor,
  approvalOnly,
  cleanUpExecutor,
  commandExecutor,
  commentExecutor,
  commitExecutor,
  createActions,
  draftExecutor,
  editArtifactsExecutor,
  type GithubPorts,
  mergeExecutor,
  notifyExecutor,
  openPrExecutor,
  reportExecutor,
  type StartRunPorts,
  startRunExecutor,
  webhookExecutor,
} from '../../authority/index.ts'
import type { Actions, Commands } from '../../engine/index.ts'
import { type Action, defined, isLoopError, LoopError, toJson } from '../../loop/index.ts'
import type { ActionSettings, MergeActionSettings, ProposalSettings } from '../../protocol/index.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import { cleanWorktrees } from '../../runs/worktrees-of-runs.ts'
import type { Environment } from '../../system/environment.ts'
import { findOnPath, listProjectFolders, openLandings, runProgram } from '../../workspace/index.ts'
import type { MergedCertifier } from '../landing/certify-merged.ts'
import { createLand } from '../landing/create-land.ts'
import { webhooksVariable } from '../needed-variables.ts'
import { findGh } from './gh.ts'
import { onCurrentTarget } from './on-current-target.ts'
import { type LandRun, openRunRepository } from './run-repository.ts'

export interface ActionParts {
  readonly loop: string
  /** Of the sandbox of the run. */
  readonly commands: Commands
  readonly workspace: string | undefined
  /** Of the user who started the run. */
  readonly environment: Environment
  /** Its actions may wait for a person for long, so their work is certified again before. */
  readonly waits?: boolean
  /** Absent: this process cannot start runs. */
  readonly startRun?: StartRunPorts['start']
}

/** Opened when the run is placed, because some act on its repository. */
export type OpenActions = (base: HostPorts, place: RunPlace, certify: MergedCertifier) => Actions

export const openActions =
  (parts: ActionParts): OpenActions =>
  (base, place, certify) => {
    const { environment, commands, workspace } = parts
    const variable = (name: string): string | undefined => environment[name]
    const webhooks = { allowed: variable(webhooksVariable), variable }
    return createActions(
      {
        webhook: webhookExecutor(webhooks),
        command: commandExecutor({ commands, cwd: workspace, variable }),
        notify: notifyExecutor({ webhooks, commands, terminal, desktop: showOnDesktop }),
        report: reportExecutor,
        'edit-artifacts': editArtifactsExecutor(place.checkout ?? place.workspace),
        draft: draftExecutor(join(base.folder, 'drafts')),
        'clean-up': cleanUpExecutor({ clean: () => cleanUp(base) }),
        'start-run': startRunExecutor(startRunPorts(base, parts)),
        ...repositoryExecutors(parts, place, createLand(base, certify), certify),
      },
      approvalOnly,
    )
  }

/** A run without a worktree has no branch, so these only record the approval. */
function repositoryExecutors(
  { loop, waits = false }: ActionParts,
  { id, name, placed, worktree, checkout }: RunPlace,
  land: LandRun,
  certify: MergedCertifier,
): Readonly<Record<string, Actions>> {
  if (placed === undefined || worktree === undefined) return {}
  const { repository } = placed
  const run = { id, name }
  const work = openRunRepository({ repository, worktree, checkout, run, loop, land })
  const github: GithubPorts = {
    repository: work,
    gh: () => findGh(listProjectFolders(repository)),
  }
  const of = {
    git: openLandings(repository),
    target: work.baseBranch,
    base: worktree.base.commit,
    branch: worktree.branch,
    certify,
  }
  const renewed = (actions: Actions): Actions => (waits ? onCurrentTarget(actions, of) : actions)
  return {
    merge: mergeExecutor(work),
    // A merge, and a patch for the checkout, are compared with what is there anyway.
    commit: renewed(commitExecutor(work)),
    'apply-patch': applyPatchExecutor(work),
    'open-pr': renewed(openPrExecutor(github)),
    comment: commentExecutor(github),
  }
}

async function cleanUp(base: HostPorts): Promise<readonly string[]> {
  const cleaned = await cleanWorktrees(base)
  return cleaned.filter(({ status }) => status === 'removed').map(({ path }) => path)
}

const startRunPorts = ({ journal }: HostPorts, { startRun }: ActionParts): StartRunPorts => ({
  async start(request) {
    if (startRun !== undefined) return startRun(request)
    throw new LoopError(
      'not-available',
      'This process cannot start other runs. Start the run with the daemon, or pass startRun.',
    )
  },
  async exists(name) {
    try {
      return (await journal.findRun(name)).name === name
    } catch (error) {
      if (isLoopError(error, 'unknown-run')) return false
      throw error
    }
  },
})

const terminal = (line: string): void => void process.stderr.write(`\u0007${line}\n`)

async function showOnDesktop(title: string, text: string): Promise<void> {
  const [program] = await findOnPath('notify-send')
  if (program === undefined)
    throw new LoopError(
      'missing-program',
      'notify-send is not installed. Install libnotify, or notify by terminal.',
    )
  const passed = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR']
  const env = passed.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const args = ['--app-name=Loopwright', '--', title, text]
  await runProgram({ name: 'notify-send', program, args, env: Object.fromEntries(env) })
}

/** The actions of a loop file as its run requests them. `base`: the folder of the file. */
export const toActions = (
  settings: readonly ActionSettings[],
  { loop, base, mergeInto, hasWorktree }: ActionDefaults,
): readonly Action[] =>
  settings.flatMap((written) => {
    if (written.kind === 'merge' && written.isDefault === true && !hasWorktree) return []
    const one = written.kind === 'merge' ? toMerge(written, mergeInto) : written
    const { kind, ...details } = one.kind === 'start-run' ? withPath(one, base) : one
    return [{ kind, summary: summaryOf(one, loop), details: toJson(details) }]
  })

/** What a loop type proposes, as its executor takes it. */
export function toProposal(
  written: ProposalSettings,
  { base }: Pick<ActionDefaults, 'base'>,
): Omit<Action, 'summary'> {
  const { kind, ...details } = written.kind === 'start-run' ? withPath(written, base) : written
  return Object.keys(details).length === 0 ? { kind } : { kind, details: toJson(details) }
}

const toMerge = (
  { isDefault: _isDefault, ...written }: MergeActionSettings,
  into: string | undefined,
): MergeActionSettings => ({ ...defined({ into }), ...written })

export interface ActionDefaults {
  readonly loop: string
  /** The folder of the loop file. */
  readonly base: string
  /** The branch of a merge that names none. Absent: `agent/<loop>`. */
  readonly mergeInto?: string
  /** The run has a branch that can be merged. */
  readonly hasWorktree: boolean
}

const withPath = <S extends Extract<ActionSettings, { kind: 'start-run' }>>(
  settings: S,
  base: string,
): S => ({
  ...settings,
  loop: isAbsolute(settings.loop) ? settings.loop : join(base, settings.loop),
})

function summaryOf(settings: ActionSettings, loop: string): string {
  switch (settings.kind) {
    case 'merge':
      return `Merge the work of ${loop} into ${settings.into ?? 'its branch'}`
    case 'commit':
      return `Commit the work of ${loop} to ${settings.branch ?? 'a new branch'}`
    case 'apply-patch':
      return `Apply the changes of ${loop} to the checkout`
    case 'open-pr':
      return `Open a pull request with the work of ${loop}`
    case 'comment':
      return `Comment on ${settings.on ?? 'an issue or pull request'}: the work of ${loop} is certified`
    case 'webhook':
      return `The work of ${loop} is certified`
    case 'start-run':
      return `Start a run of ${settings.loop}`
    case 'clean-up':
      return 'Remove worktrees of ended runs'
    case 'command':
      return `Run ${settings.command.join(' ')}`
    case 'draft':
    case 'notify':
      return `The work of ${loop} is certified.`
  }
}
