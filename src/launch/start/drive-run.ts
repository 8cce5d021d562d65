/** Drives a run that is on disk: opens what its loop needs, and starts it. */

import { defined, type RunId, type RunState } from '../../loop/index.ts'
import type { RunHandle } from '../../runs/run-handle.ts'
import type { RunPlace } from '../../runs/run-place.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import type { SharedGateway } from '../shared-gateway.ts'
import type { StartParts } from './start-host.ts'

export interface DrivenRun {
  readonly loaded: LoadedLoop
  readonly place: RunPlace
  /** It was never driven: created by this process, just now. */
  readonly isNew?: boolean
}

export interface DriveChoice {
  /** A person watches: a weaker sandbox is allowed. */
  readonly attended?: boolean
  /** Resume although the loop's code changed. */
  readonly force?: boolean
  /** Resume with the files as they are. */
  readonly keepFiles?: boolean
  /** Of a fork: copy what is not part of the tree that it starts from. */
  readonly carry?: boolean
  readonly skipPreflight?: boolean
  /** Go back to the checkpoint after this iteration first. */
  readonly fromIteration?: number
}

export interface DriveParts extends Pick<StartParts, 'host' | 'onProblem' | 'apart'> {
  readonly models: SharedGateway
  /** Never written down, besides those of the environment. */
  readonly secrets?: readonly string[]
  /** Aborting it shuts the run down in good order. */
  readonly signal: AbortSignal
  readonly onState?: (state: RunState) => void
}

/** Resolves when the run is under way. The caller closes `loaded` when it is over. */
export async function driveRun(
  parts: DriveParts,
  { loaded, place, isNew = false }: DrivenRun,
  choice: DriveChoice,
): Promise<RunHandle> {
  const { host, signal, onState } = parts
  const opened = await loaded.open(openPlace(parts, place, choice))
  const carried =
    choice.carry === true ? await host.carryOver(place.id, opened.parts.exclude ?? [], signal) : []
  for (const problem of [...opened.problems, ...carried]) parts.onProblem(problem, place.id)
  signal.throwIfAborted()
  const runParts = {
    ...opened.parts,
    signal,
    ...defined({ onState }),
    skipPreflight: choice.skipPreflight === true,
  }
  if (isNew) return host.drive(place, loaded.loop, runParts)
  return host.resume(place.id, loaded.loop, {
    ...runParts,
    place,
    force: choice.force === true,
    keepFiles: choice.keepFiles === true,
    ...defined({ fromIteration: choice.fromIteration }),
  })
}

function openPlace(
  { host, models, secrets, signal, apart }: DriveParts,
  { workspace, checkout, inner, begun, readOnly, logDir }: RunPlace,
  { attended = false }: DriveChoice,
): Parameters<LoadedLoop['open']>[0] {
  return {
    workspace,
    checkout,
    readOnly,
    ...defined({ inner, begun, logDir, secrets, apart }),
    folder: host.folder,
    signal,
    attended,
    models,
  }
}

/** Removes a new run that could not start: it did nothing, so the list does not show it. */
export async function discardNew(host: StartParts['host'], place: RunPlace): Promise<void> {
  const id: RunId = place.id
  await host.journal.removeRun(id, { force: true })
  await place.leave()
}
