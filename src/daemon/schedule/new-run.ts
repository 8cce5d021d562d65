/** A request for a new run, brought to where the run is on disk and in the queue. */

import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { isAbsolute, parse, resolve } from 'node:path'
import { moreChecks, runLimits, runWorktree } from '../../definition/config/apply-settings.ts'
import { loadDaemonConfig } from '../../definition/config/load-config.ts'
import type { Host } from '../../host/host.ts'
import { recordBeginning } from '../../host/record-beginning.ts'
import { loadLoop, previewLoop, trustLoop } from '../../launch/load-loop.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import { type NamingOptions, nameRun } from '../../launch/name-run.ts'
import { requireReady } from '../../launch/preflight/look-ahead.ts'
import { runEnvironment } from '../../launch/run-environment.ts'
import type { ModelDoor } from '../../launch/shared-gateway.ts'
import { defaultLimits, defined, LoopError, type RunId } from '../../loop/index.ts'
import type { NewRunRequest, RunSettings } from '../../protocol/api/index.ts'
import type { Queued } from '../../runs/create-runs.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import type { Environment } from '../../system/environment.ts'
import type { Log } from '../parts.ts'
import { toDriveRequest, toRow } from './drive-request.ts'

export interface NewRunParts {
  readonly host: Host
  readonly log: Log
  readonly now: () => number
}

/** What is loaded, and the models that are asked, with the environment of the caller. */
export const withEnvironment = (
  { host }: Pick<NewRunParts, 'host'>,
  caller: Environment | undefined,
): { readonly environment: Environment; readonly models: ModelDoor } => {
  const environment = runEnvironment(caller)
  return { environment, models: host.models.withEnvironment(environment) }
}

/** Resolves when it is on disk; nothing is started. */
export async function createQueued(
  parts: NewRunParts,
  request: NewRunRequest,
  key?: string,
): Promise<RunId> {
  const { host } = parts
  requireWhole(request)
  await trustAsAsked(host, request.file, request.trust)
  // Whoever says nothing of settings has those of the daemon's user.
  const settings = request.settings ?? (await loadDaemonConfig()).settings
  const loaded = await loadFor(parts, request, settings)
  try {
    const workspace = workspaceFor(request, loaded)
    const { models, environment } = withEnvironment(parts, request.environment)
    if (request.skipPreflight !== true) {
      const attended = request.attended === true
      await requireReady(loaded, { workspace, folder: host.folder, attended, environment })
    }
    const naming = namingFor(request, settings, loaded)
    const { name, source: nameSource } = await nameRun({ journal: host.journal, models }, naming)
    const { logDir } = settings.artifacts ?? {}
    const place = await host.place({
      name,
      ...defined({ logDir }),
      workspace,
      worktree: runWorktree(loaded.worktree, settings, request.worktree),
      needsChoice: request.needsChoice === true,
      // What a file says is no word of whoever runs it.
      isVouched: request.worktree?.use === true,
      apart: loaded.files,
    })
    for (const problem of place.problems) parts.log.warn({ run: place.id }, problem)
    const { id } = await host.create(loaded.loop, {
      input: loaded.input,
      limits: runLimits(loaded.limits, settings, request.limits),
      place,
      source: loaded.source,
      ...(request.again === true ? { again: true } : {}),
      queue: {
        row: queueRow(place, request, parts.now()),
        ...(key === undefined ? {} : { request: { key, digest: digestOf(request) } }),
      },
    })
    // Without them it is a run all the same.
    await recordBeginning(host, id, { nameSource, ...settings.artifacts }).catch(
      (error: unknown) => {
        parts.log.warn({ run: id, error: String(error) }, 'not settled where its files are')
      },
    )
    return id
  } finally {
    await loaded.close()
  }
}

/** A model that is asked for a name is told what the agent is. */
function namingFor(
  { name, limits }: NewRunRequest,
  settings: RunSettings,
  loaded: LoadedLoop,
): NamingOptions {
  const about = (): string =>
    loaded.firstPrompt({ ...defaultLimits, ...loaded.limits, ...limits }, loaded.workspace) ??
    loaded.loop.name
  return {
    ...settings.naming,
    ...defined({ given: name }),
    loop: loaded.loop.name,
    about,
  }
}

export function queueRow(
  { workspace, checkout }: Pick<RunPlace, 'workspace' | 'checkout'>,
  request: Parameters<typeof toDriveRequest>[0] & Pick<NewRunRequest, 'priority' | 'by'>,
  nowMs: number,
): Queued['row'] {
  const folder = checkout ?? workspace
  return {
    priority: request.priority ?? 0,
    queuedAtMs: nowMs,
    request: toRow(toDriveRequest(request)),
    tries: 0,
    ...defined({ by: request.by, workspace: folder }),
  }
}

/** The same for the same wish, however it was spelt. Kept on disk, so nothing of the environment is in it. */
export function digestOf(request: Pick<NewRunRequest, 'environment'>): string {
  const { environment: _environment, ...rest } = request
  return createHash('sha256')
    .update(JSON.stringify(sorted(rest)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]))
}

/** The folder that the daemon was started in means nothing to whoever asks. */
function requireWhole({ file, workspace, here }: NewRunRequest): void {
  for (const path of [file, workspace, here]) {
    if (path === undefined || isAbsolute(path)) continue
    const message = `"${path}" is no whole path, and the daemon is in another folder.`
    throw new LoopError('bad-request', `${message} Give it from / on.`)
  }
}

/** Only what was seen by whoever says so: the file may have changed since. */
export async function trustAsAsked(
  { folder, loopTypes }: Host,
  file: string,
  digest: string | undefined,
): Promise<void> {
  if (digest === undefined) return
  const preview = await previewLoop(file, folder, undefined, loopTypes)
  if (preview.digest !== digest) {
    const message = `${file} is not what was looked at: it changed since.`
    throw new LoopError('not-trusted', `${message} Look at it again, and trust it as it is now.`)
  }
  if (!preview.trusted) await trustLoop(preview, folder)
}

function loadFor(
  { host, log }: NewRunParts,
  request: NewRunRequest,
  { model, checks }: RunSettings,
): Promise<LoadedLoop> {
  const { file, input, changes, here } = request
  return loadLoop(file, {
    folder: host.folder,
    environment: runEnvironment(request.environment),
    here: here ?? homedir(),
    defaultModel: model,
    ...moreChecks(checks),
    onLine: (line) => log.info({ file }, line),
    ...defined({ input, changes, types: host.loopTypes }),
  })
}

/** Whoever is at home by chance does not want an agent to work on all of it. */
function workspaceFor({ workspace: given }: NewRunRequest, loaded: LoadedLoop): string {
  if (given !== undefined) return given
  const workspace = resolve(loaded.workspace)
  if (workspace !== homedir() && workspace !== parse(workspace).root) return workspace
  const message = `The loop would work on all of ${workspace}.`
  throw new LoopError('bad-request', `${message} Name the folder that it is for (workspace).`)
}
