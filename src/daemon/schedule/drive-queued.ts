/** Drives one run of the queue: loads its loop, opens what it needs, follows it, and closes all again. */

import { existsSync } from 'node:fs'
import type { DriveEnd } from '../../engine/index.ts'
import type { Inspection } from '../../history/inspect-run.ts'
import type { Host } from '../../host/host.ts'
import { loadLoop } from '../../launch/load-loop.ts'
import type { LoadedLoop } from '../../launch/loaded-loop.ts'
import { needsVariables, runEnvironment, withNeeded } from '../../launch/run-environment.ts'
import { keysFile, type ModelDoor } from '../../launch/shared-gateway.ts'
import { defined, isLoopError, LoopError, type RunId, type RunState } from '../../loop/index.ts'
import type { RunHandle } from '../../runs/run-handle.ts'
import type { Log } from '../parts.ts'
import type { CallerEnvironments } from './caller-environments.ts'
import type { DriveRequest } from './drive-request.ts'
import type { Turns } from './turns.ts'

export interface DriveParts {
  readonly host: Host
  readonly log: Log
  /** What may never be written down. */
  readonly secrets?: () => readonly string[]
  readonly environments: CallerEnvironments
  /** Opening starts processes and reads much: only a few do it at once. */
  readonly opening: Turns
}

export interface Watched {
  /** Aborting it shuts the run down in good order. */
  readonly signal: AbortSignal
  /** Aborting it does so at once. */
  readonly hurry: AbortSignal
  readonly onState: (state: RunState) => void
  /** It is under way: what was asked for this start only is done. */
  readonly onStarted: () => Promise<void>
}

/** Rejects with what keeps the run from going on. */
export async function driveQueued(
  parts: DriveParts,
  run: RunId,
  request: DriveRequest,
  watched: Watched,
): Promise<DriveEnd> {
  const { host, log, opening } = parts
  const { signal } = watched
  let loaded: LoadedLoop | undefined
  try {
    const handle = await opening.take(async () => {
      signal.throwIfAborted()
      const { state, run: row } = await host.inspect(run)
      const changes = state.source?.changes
      const caller = runEnvironment(parts.environments.find(run))
      const environment = await withNeeded(caller, request.needs ?? [], row.name)
      loaded = await loadLoop(fileOf(row, state), {
        folder: host.folder,
        environment,
        purpose: 'resume',
        onLine: (line) => log.info({ run }, line),
        signal,
        ...defined({ changes, types: host.loopTypes }),
      })
      const models = host.models.withEnvironment(environment)
      return startIn({ ...parts, models }, run, loaded, request, watched).catch(
        (error: unknown) => {
          throw asWaiting(error, row.name, keysFile(environment))
        },
      )
    })
    const leave = (): void => handle.shutDown({ now: true })
    if (watched.hurry.aborted) leave()
    watched.hurry.addEventListener('abort', leave, { once: true })
    await watched.onStarted()
    return await handle.done
  } finally {
    await loaded?.close()
  }
}

/** Which command lets it go on is known here. */
function asWaiting(error: unknown, name: string, file: string): unknown {
  const variables = isLoopError(error, 'not-configured') ? error.details?.variables : undefined
  return variables === undefined ? error : needsVariables(variables, name, file)
}

async function startIn(
  { host, log, secrets, models }: DriveParts & { readonly models: ModelDoor },
  run: RunId,
  loaded: LoadedLoop,
  request: DriveRequest,
  { signal, onState }: Watched,
): Promise<RunHandle> {
  const { workspace, checkout, inner, begun, readOnly, logDir, problems } =
    await host.placeAgain(run)
  const { parts, problems: missing } = await loaded.open({
    workspace,
    checkout,
    readOnly,
    ...defined({ inner, begun, logDir }),
    folder: host.folder,
    signal,
    attended: request.attended === true,
    models,
    ...(secrets === undefined ? {} : { secrets: secrets() }),
  })
  const carried =
    request.carry === true ? await host.carryOver(run, parts.exclude ?? [], signal) : []
  for (const problem of [...problems, ...missing, ...carried]) log.warn({ run }, problem)
  signal.throwIfAborted()
  return host.resume(run, loaded.loop, {
    ...parts,
    signal,
    onState,
    skipPreflight: request.skipPreflight === true,
    force: request.force === true,
    keepFiles: request.keepFiles === true,
  })
}

export function fileOf({ name }: Inspection['run'], { source }: Inspection['state']): string {
  if (source === undefined) {
    throw new LoopError(
      'not-configured',
      `Run "${name}" was started by a program, not from a loop file: resume it there.`,
    )
  }
  if (existsSync(source.file)) return source.file
  throw new LoopError(
    'not-configured',
    `The loop file of run "${name}" is gone: ${source.file}. Put it back, then: loopctl resume ${name}`,
  )
}
