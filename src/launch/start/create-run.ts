/**
 * From a request to a run on disk. The daemon and `--no-daemon` both create runs here; they differ only in
 * whether the run is queued.
 */

import { homedir } from 'node:os'
import { moreChecks, runLimits, runWorktree } from '../../definition/config/apply-settings.ts'
import { loadDaemonConfig } from '../../definition/config/load-config.ts'
import { loopDefaults } from '../../definition/config/loop-defaults.ts'
import {
  defaultLimits,
  defined,
  type Limits,
  type ScheduledTick,
  textOf,
} from '../../loop/index.ts'
import type { NewRunRequest, RunSettings } from '../../protocol/api/index.ts'
import type { Queued } from '../../runs/options.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import type { Environment } from '../../system/environment.ts'
import { completeInput } from '../complete-input.ts'
import { loadLoop } from '../load-loop.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { syncSkills } from '../loop-ports/sync-skills.ts'
import { nameRun, type RunName } from '../name-run.ts'
import { openRunPolicy, policyOfProject } from '../policy/open-run-policy.ts'
import { requireReady } from '../preflight/look-ahead.ts'
import { runEnvironment } from '../run-environment.ts'
import { firstPrompt, toLoopType } from '../to-loop-type.ts'
import { recordBeginning } from './record-beginning.ts'
import { requireAbsolute } from './require-absolute.ts'
import { nameBySpec } from './spec-name.ts'
import type { StartParts } from './start-host.ts'
import { workspaceFor } from './workspace-for.ts'

/** A run that is on disk and not driven yet. */
export interface CreatedRun {
  readonly place: RunPlace
  readonly loaded: LoadedLoop
  readonly environment: Environment
}

/** A run that no person asked for. */
export interface ScheduledStart {
  /** The tick that starts it. */
  readonly schedule: ScheduledTick
  /** Upper limits, whatever the file, the request and the settings say. */
  readonly limitsMax?: Partial<Pick<Limits, 'tokens' | 'costMicros'>>
}

/** `toQueue`: what is written with the run, so that a daemon drives it. */
export async function createRun(
  parts: StartParts,
  request: NewRunRequest,
  toQueue?: (place: RunPlace) => Queued,
  scheduled?: ScheduledStart,
): Promise<CreatedRun> {
  const { host, onProblem } = parts
  for (const name of ['file', 'workspace', 'here'] as const) requireAbsolute(request[name], name)
  // Without settings in the request, those of the user who runs this process apply.
  const settings = request.settings ?? (await loadDaemonConfig()).settings
  const environment = runEnvironment(request.environment)
  const read = await loadFor(parts, request, settings)
  const workspace = workspaceFor(request.workspace, read)
  const { loaded, captured } = await completeInput(read, workspace, host.loopTypes)
  const asked = runLimits(loaded.limits, settings, request.limits)
  const limits = atMost(asked, scheduled?.limitsMax)
  await requireStart(parts, request, loaded, workspace)
  await openRunPolicy(loaded, host)
  const { name, source } = await nameFor(parts, request, settings, { loaded, limits, workspace })
  const place = await host.place({
    name,
    ...defined({ logDir: settings.artifacts?.logDir }),
    workspace,
    worktree: runWorktree(loaded.worktree, settings, request.worktree),
    needsChoice: request.needsChoice === true,
    // A loop file cannot vouch on the user's behalf.
    isVouched: request.worktree?.use === true,
    excludedPaths: [...loaded.files, ...captured, ...(parts.excludedPaths ?? [])],
  })
  const notSynced = syncSkills(settings.skills)
  for (const problem of [...place.problems, ...(notSynced === undefined ? [] : [notSynced])]) {
    onProblem(problem, place.id)
  }
  const queue = toQueue?.(place)
  await host.create(await toLoopType(loaded, host.loopTypes), {
    input: loaded.input,
    limits,
    place,
    source: loaded.source,
    ...(request.again === true ? { again: true } : {}),
    ...defined({ queue, outside: request.outside, schedule: scheduled?.schedule }),
  })
  const { globalDir, ...files } = settings.artifacts ?? {}
  const artifacts = { ...files, ...defined({ globalLogDir: globalDir }) }
  // A run works without its files.
  await recordBeginning(host, place.id, { nameSource: source, ...artifacts }).catch(
    (error: unknown) => onProblem(`cannot write the files of the run: ${textOf(error)}`, place.id),
  )
  return { place, loaded, environment }
}

function atMost(
  limits: Partial<Limits>,
  { tokens = Infinity, costMicros = Infinity }: NonNullable<ScheduledStart['limitsMax']> = {},
): Partial<Limits> {
  const most = { tokens, costMicros }
  const lowered = (['tokens', 'costMicros'] as const).flatMap((name) =>
    most[name] < (limits[name] ?? defaultLimits[name]) ? [[name, most[name]]] : [],
  )
  return { ...limits, ...Object.fromEntries(lowered) }
}

/** What code prints while its file is read, it prints again when the run starts its process. */
export const dropLine = (): void => undefined

async function loadFor(
  { host, signal, reads }: StartParts,
  request: NewRunRequest,
  settings: RunSettings,
): Promise<LoadedLoop> {
  const { file, input, changes, here, trust } = request
  const { model, checks, policy } = settings
  const options = {
    folder: host.folder,
    environment: runEnvironment(request.environment),
    here: here ?? homedir(),
    defaultModel: model,
    ...moreChecks(checks),
    ...(await loopDefaults(settings)),
    ...(await policyOfProject(policy)),
    onLine: dropLine,
    ...defined({ input, changes, signal, trust, types: host.loopTypes }),
  }
  return loadLoop(file, options, reads)
}

/** What takes seconds to find out is reported before anything is made. */
async function requireStart(
  { host, signal }: StartParts,
  { skipPreflight = false, attended = false, environment }: NewRunRequest,
  loaded: LoadedLoop,
  workspace: string,
): Promise<void> {
  if (!skipPreflight) {
    await requireReady(loaded, {
      workspace,
      folder: host.folder,
      attended,
      environment: runEnvironment(environment),
      ...defined({ types: host.loopTypes }),
    })
  }
  signal?.throwIfAborted()
}

interface Named {
  readonly loaded: LoadedLoop
  readonly limits: Partial<Limits>
  readonly workspace: string
}

/** A model that chooses the name gets the prompt that the agent gets. */
function nameFor(
  { host, signal }: StartParts,
  { name, environment }: NewRunRequest,
  { naming }: RunSettings,
  { loaded, limits, workspace }: Named,
): Promise<RunName> {
  const models = host.models.withEnvironment(runEnvironment(environment))
  return nameRun(
    { journal: host.journal, models },
    {
      ...naming,
      ...defined({ given: name, signal }),
      loop: loaded.name,
      ...nameBySpec(naming, loaded.input),
      about: async () => {
        const allowed = { ...defaultLimits, ...limits }
        return (await firstPrompt(loaded, allowed, workspace, host.loopTypes)) ?? loaded.name
      },
    },
  )
}
