/** Drives one run of the queue: loads its loop, starts it, waits for its end, and closes everything. */

import type { DriveEnd } from '../../engine/index.ts'
import { type Inspection, inspectRun } from '../../history/inspect-run.ts'
import type { Host } from '../../host/host.ts'
import { loadLoop, requireTrustedLoop } from '../../launch/load-loop.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import { needsVariables, runEnvironment, withNeeded } from '../../launch/run-environment.ts'
import { keysFile } from '../../launch/shared-gateway.ts'
import { driveRun } from '../../launch/start/drive-run.ts'
import { findLoopFile } from '../../launch/start/find-loop-file.ts'
import { defined, isLoopError, type RunId, type RunState } from '../../loop/index.ts'
import type { RunHandle } from '../../runs/run-handle.ts'
import type { Environment } from '../../system/environment.ts'
import type { Log } from '../parts.ts'
import type { CallerEnvironments } from './caller-environments.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { CreatedLoops } from './created-loops.ts'
import type { DriveRequest } from './drive-request.ts'

export interface DriveParts {
  readonly host: Host
  readonly log: Log
  /** Values that must never be logged. */
  readonly secrets?: () => readonly string[]
  readonly environments: CallerEnvironments
  /** The loops of new runs, which were read when the runs were created. */
  readonly loops: CreatedLoops
  /** Limits how many runs open at a time, since opening starts processes and reads many files. */
  readonly opening: ConcurrencyLimit
}

export interface Watched {
  /** Aborting it suspends the run after its current step. */
  readonly signal: AbortSignal
  /** Aborting it suspends the run without waiting. */
  readonly hurry: AbortSignal
  readonly onState: (state: RunState) => void
  /** Called when the run has started, so that options for one start are cleared. */
  readonly onStarted: () => Promise<void>
}

/** Rejects with the reason why the run cannot continue. */
export async function driveQueued(
  parts: DriveParts,
  run: RunId,
  request: DriveRequest,
  watched: Watched,
): Promise<DriveEnd> {
  const { host, opening } = parts
  const { signal } = watched
  const handle = await opening.run(async () => {
    signal.throwIfAborted()
    const found = await inspectRun(host.journal, run)
    const { name } = found.run
    const caller = runEnvironment(parts.environments.find(run))
    const environment = await withNeeded(caller, request.needs ?? [], name)
    const loaded = await loadQueued(parts, found, { environment, signal, file: request.file })
    return start(parts, { run, loaded, environment }, request, watched).catch((error: unknown) => {
      throw asWaiting(error, name, keysFile(environment))
    })
  })
  const suspendNow = (): void => handle.shutDown({ now: true })
  if (watched.hurry.aborted) suspendNow()
  watched.hurry.addEventListener('abort', suspendNow, { once: true })
  await watched.onStarted()
  return handle.done
}

/** The loop that the run was created with, if it is still trusted; otherwise its file, read again. */
async function loadQueued(
  { host, loops }: DriveParts,
  found: Inspection,
  {
    environment,
    signal,
    file,
  }: {
    readonly environment: Environment
    readonly signal: AbortSignal
    readonly file: string | undefined
  },
): Promise<LoadedLoop> {
  const created = loops.take(found.run.id)
  if (created !== undefined && file === undefined) {
    const { source, powers } = created
    await requireTrustedLoop({ ...source, powers }, host.folder)
    return created
  }
  const changes = found.state.source?.changes
  return loadLoop(findLoopFile(found, file), {
    folder: host.folder,
    environment,
    purpose: 'resume',
    // The process of the run prints it again.
    onLine: () => undefined,
    signal,
    ...defined({ changes, types: host.loopTypes }),
  })
}

/** Adds the command that resumes the run. */
function asWaiting(error: unknown, name: string, file: string): unknown {
  const variables = isLoopError(error, 'not-configured') ? error.details?.variables : undefined
  return variables === undefined ? error : needsVariables(variables, name, file)
}

interface Loaded {
  readonly run: RunId
  readonly loaded: LoadedLoop
  readonly environment: Environment
}

async function start(
  { host, log, secrets }: DriveParts,
  { run, loaded, environment }: Loaded,
  request: DriveRequest,
  { signal, onState }: Watched,
): Promise<RunHandle> {
  const place = await host.placeAgain(run, request.workspace)
  const onProblem = (problem: string): void => log.warn({ run }, problem)
  const onLine = (line: string): void => log.info({ run }, line)
  for (const problem of place.problems) onProblem(problem)
  const models = host.models.withEnvironment(environment)
  return driveRun(
    {
      host,
      models,
      signal,
      onState,
      onProblem,
      onLine,
      onReport: (text) => void process.stdout.write(text),
      ...defined({ secrets: secrets?.() }),
    },
    { loaded, place, environment },
    { ...request, isHeld: true },
  )
}
