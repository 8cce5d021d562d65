/** Drives a run that is on disk: opens what its loop needs, and starts it. */

import type { StartRunRequest } from '../../authority/index.ts'
import { defined, type RunId, type RunState } from '../../loop/index.ts'
import type { RunHandle } from '../../runs/run-handle.ts'
import { projectOf, type RunPlace } from '../../runs/run-place.ts'
import type { Environment } from '../../system/environment.ts'
import { watchReports } from '../deliver/watch-reports.ts'
import { prepareLevel } from '../levels/prepare-level.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { createProposals } from '../loop-ports/proposals.ts'
import type { OpenContext } from '../open-context.ts'
import { type OpenedLoop, openLoop } from '../open-loop.ts'
import type { SharedGateway } from '../shared-gateway.ts'
import type { StartParts } from './start-host.ts'

export interface DrivenRun {
  readonly loaded: LoadedLoop
  readonly place: RunPlace
  /** Of the run; default: that of this process. */
  readonly environment?: Environment
  /** It was never driven: created by this process, just now. */
  readonly isNew?: boolean
}

export interface DriveChoice {
  /** A person watches: a weaker sandbox is allowed. */
  readonly attended?: boolean
  /** A daemon drives it: it can wait for a person. */
  readonly isHeld?: boolean
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

export interface DriveParts
  extends Pick<StartParts, 'host' | 'onProblem' | 'onLine' | 'excludedPaths'> {
  readonly models: SharedGateway
  /** Never written down, besides those of the environment. */
  readonly secrets?: readonly string[]
  /** Aborting it shuts the run down in good order. */
  readonly signal: AbortSignal
  readonly onState?: (state: RunState) => void
  /** Called with the text of a report for the receiver `stdout`. Default: the caller shows reports itself. */
  readonly onReport?: (text: string) => void
}

/** Resolves when the run is under way. What was opened for it is closed before its `done` resolves. */
export async function driveRun(
  parts: DriveParts,
  driven: DrivenRun,
  choice: DriveChoice,
): Promise<RunHandle> {
  const { loaded, place } = driven
  const project = projectOf(place)
  const onProblem = (problem: string): void => parts.onProblem(problem, place.id)
  const notices = await prepareLevel(parts.host, loaded, { id: place.id, project }, onProblem)
  const opened = await openLoop(loaded, { ...openPlace(parts, driven, choice), notices })
  try {
    const reports = await watchReports(parts.host, place.id, {
      sinks: loaded.definition.file.delivers ?? [],
      environment: driven.environment ?? process.env,
      print: parts.onReport ?? (() => undefined),
      onProblem,
    })
    const handle = await drive(parts, driven, choice, opened)
    const done = handle.done.finally(async () => {
      await reports?.settle()
      await opened.close()
    })
    // A caller that only reads events gets the error there.
    done.catch(() => undefined)
    return { ...handle, done }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function drive(
  { host, signal, onState, onProblem }: DriveParts,
  { place, isNew = false }: DrivenRun,
  choice: DriveChoice,
  { loop, parts, problems }: OpenedLoop,
): Promise<RunHandle> {
  const carried =
    choice.carry === true ? await host.carryOver(place.id, parts.exclude ?? [], signal) : []
  for (const problem of [...problems, ...carried]) onProblem(problem, place.id)
  signal.throwIfAborted()
  const runParts = {
    ...parts,
    signal,
    ...defined({ onState }),
    skipPreflight: choice.skipPreflight === true,
  }
  if (isNew) return host.drive(place, loop, runParts)
  return host.resume(place.id, loop, {
    ...runParts,
    place,
    force: choice.force === true,
    keepFiles: choice.keepFiles === true,
    ...defined({ fromIteration: choice.fromIteration }),
  })
}

function openPlace(
  { host, models, secrets, signal, onLine, onProblem, excludedPaths }: DriveParts,
  { place, environment }: DrivenRun,
  { attended = false, isHeld = false }: DriveChoice,
): OpenContext {
  const { workspace, checkout, inner, baseFiles, readOnly, logDir } = place
  return {
    workspace,
    checkout,
    readOnly,
    run: place.name,
    ...defined({
      inner,
      baseFiles,
      logDir,
      secrets,
      excludedPaths,
      environment,
      types: host.loopTypes,
      project: projectOf(place),
      branch: place.worktree?.branch,
    }),
    folder: host.folder,
    signal,
    onLine,
    attended,
    isHeld,
    models,
    memories: host.journal.memory,
    trust: host.journal.trust,
    proposals: (loop) =>
      createProposals({
        journal: host.journal,
        loop,
        repository: checkout ?? workspace,
        run: place.name,
        now: Date.now,
      }),
    startRun: (request) => startQueued({ host, onProblem, onLine }, request),
  }
}

/** Puts a run of another loop file into the queue, which a daemon works through. It is on disk when this resolves. */
async function startQueued(
  parts: Pick<StartParts, 'host' | 'onProblem' | 'onLine'>,
  { loop, name, input }: StartRunRequest,
): Promise<void> {
  const { createRun } = await import('./create-run.ts')
  const given = Object.entries(input).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  await createRun(parts, { file: loop, name, input: Object.fromEntries(given) }, (placed) => ({
    row: {
      priority: 0,
      queuedAtMs: Date.now(),
      request: {},
      tries: 0,
      ...defined({ workspace: placed.checkout ?? placed.workspace }),
    },
  }))
}

/** Removes a new run that could not start: it did nothing, so the list does not show it. */
export async function discardNew(host: StartParts['host'], place: RunPlace): Promise<void> {
  const id: RunId = place.id
  await host.journal.removeRun(id, { force: true })
  await place.leave()
}
