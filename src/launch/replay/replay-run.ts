/**
 * Replays a run from its recording: offline, and free. The replay is a separate run with the same beginning, in
 * a separate folder; if it is killed, it can be resumed as a replay.
 *
 * A replay of a replay replays the original run.
 */

import { rm } from 'node:fs/promises'
import {
  type AnyLoopType,
  type Beginning,
  createRun,
  load,
  questionId,
  type RunRow,
  readCreated,
} from '../../engine/index.ts'
import {
  countExchanges,
  iterationBefore,
  lastIteration,
  type Recording,
  readRecording,
} from '../../history/recording.ts'
import {
  type Answer,
  defined,
  describeOutcome,
  isEnd,
  isLoopError,
  LoopError,
  type RunId,
  type RunState,
} from '../../loop/index.ts'
import type { Driver } from '../../runs/driver.ts'
import type { HostPorts } from '../../runs/host-ports.ts'
import { discardWorktree, placeAgain } from '../../runs/place-run.ts'
import { readRecordedLevel } from '../../runs/recorded-level.ts'
import { createNamed } from '../../runs/run-names.ts'
import { type RunPlace } from '../../runs/run-place.ts'
import { isWithoutGit } from '../../system/index.ts'
import { createTreeStore } from '../../workspace/tree-store.ts'
import { endedWithoutIntervention, findDifference } from './find-difference.ts'
import type { Replay, ReplayOptions, ReplayResult, ReplayStart } from './replay.ts'
import {
  carryExcluded,
  copyLoopFiles,
  isReplayFolder,
  placeReplay,
  requireNoOtherFiles,
} from './replay-folder.ts'
import { createReplayAnswers } from './replay-parts.ts'

export async function openReplay(
  base: HostPorts,
  driver: Driver,
  idOrName: string,
  options: ReplayOptions = {},
): Promise<Replay> {
  const named = await base.journal.findRun(idOrName)
  const original = await readRecording(base, await findOriginal(base, named))
  const resumed = options.resume === true ? requireReplay(named, original) : undefined
  if (resumed === undefined) requireAtRest(original.run)
  const place =
    resumed === undefined
      ? await placeReplay(base, original, options)
      : await placeAgain(base, resumed)
  const { workspace } = place
  const answers = createReplayAnswers(base, original, place)
  return {
    original: {
      run: original.run,
      state: original.state,
      level: await readRecordedLevel(base.journal, original.run.id),
    },
    exchanges: countExchanges(original),
    end: describeEndOfRecord(original),
    workspace,
    answers: answers.replay,
    bringFiles: (files) => copyLoopFiles(files, original.run.workspace, workspace),
    requireFile: (digest) => requireSameFile(original, digest),
    async start(loop, startOptions) {
      const { source, changedFile, name: _name, onProblem, ...parts } = startOptions
      if (changedFile !== true) requireSameFile(original, source?.digest)
      requireNoOtherFiles(place, parts.exclude ?? [], resumed)
      // Before there is a run: an interrupted copy is not resumed.
      for (const problem of await carryExcluded(base, original, workspace, parts))
        onProblem?.(problem)
      const run = resumed ?? (await create(base, original, loop, place, startOptions))
      await recordAnswers(base, original, run.id)
      // Agents and checks read the git log, which must be the same as in the original.
      const again = { ...place, id: run.id, name: run.name, signedAs: original.run }
      return driver.drive(again, loop, answers.parts(parts))
    },
    result: (run) => createResult(base, original, run),
    async removeFiles() {
      if (workspace === undefined || !isReplayFolder(base.folder, workspace)) return
      if (place.worktree === undefined) await rm(workspace, { recursive: true, force: true })
      else await discardWorktree(place.worktree, workspace)
    },
  }
}

async function findOriginal({ journal }: HostPorts, { id }: Pick<RunRow, 'id'>): Promise<RunId> {
  const { origin } = await readCreated(journal, id)
  // The origin of a replay is always an original run.
  return origin?.type === 'replay' ? origin.run : id
}

/** The recording of a running run ends at an arbitrary point, so a comparison would be meaningless. */
function requireAtRest({ name, held }: RunRow): void {
  if (!held) return
  throw new LoopError(
    'run-busy',
    `Run "${name}" is still running; only a run that has ended or was paused can be replayed. Watch it: loopctl watch ${name}. Or pause it first: loopctl pause ${name}`,
  )
}

function requireReplay(named: RunRow, { run }: Recording): RunRow {
  if (named.id !== run.id && !isEnd(named.status)) return named
  const why = named.id === run.id ? 'is not a replay' : `has ended (${named.status})`
  throw new LoopError(
    'wrong-status',
    `Cannot resume run "${named.name}": it ${why}. Replay it instead.`,
  )
}

function requireSameFile({ run, created }: Recording, digest: string | undefined): void {
  const { source: then } = created
  if (then === undefined || then.digest === digest) return
  throw new LoopError(
    'code-changed',
    `${then.file}, or a file that it names, has changed since run "${run.name}" was created. ` +
      'Restore it, or pass a loop file with --file: the replay shows what that changes.',
  )
}

async function create(
  base: HostPorts,
  original: Recording,
  loop: AnyLoopType,
  { workspace, worktree }: RunPlace,
  { source, name }: ReplayStart,
): Promise<Pick<RunRow, 'id' | 'name'>> {
  const { run, created, state } = original
  const input = await load(created.input, base.blobs)
  const { deadlineAtMs: _deadline, ...limits } = state.limits
  return createNamed(name, (named) =>
    createRun(
      loop,
      base,
      {
        ...named,
        limits,
        ...defined({ input, workspace }),
        ...(worktree === undefined ? { withoutGit: isWithoutGit(workspace) } : { worktree }),
        ...defined({ source }),
      },
      toBeginning(original, run.id),
    ),
  )
}

function toBeginning(original: Recording, run: RunId): Beginning {
  const { created, iterations, state } = original
  const iteration = iterationBefore(original)
  const { progress, carried, baseTree } = created
  const tree = iterations.get(iteration + 1)?.treeBefore ?? created.tree
  return {
    origin: { type: 'replay', run, iteration },
    iteration,
    ...defined({ progress, tree, baseTree }),
    ...failuresBefore(state),
    ...defined({ carried }),
  }
}

/** Prompts mention them, except in runs from before checks were recorded. */
const failuresBefore = ({ checks, preflight }: RunState): Pick<Beginning, 'preflight'> =>
  checks === undefined || preflight === undefined ? {} : { preflight: { checks: preflight.checks } }

/** Records the answers before their questions. Answers recorded before a kill stay. */
async function recordAnswers(
  { journal, blobs, clock }: HostPorts,
  { iterations }: Recording,
  run: RunId,
): Promise<void> {
  for (const { iteration, steps } of iterations.values()) {
    for (const { step, kind, end } of steps.values()) {
      if (kind !== 'ask' || end?.type !== 'finished') continue
      const { answer, by, who } = (await load(end.result, blobs)) as unknown as Answer
      const decision = { type: 'answer', question: questionId(iteration, step), answer } as const
      const person = by === 'default' ? 'default' : (who ?? 'person')
      await journal.recordDecision(run, decision, person, clock.now()).catch((error: unknown) => {
        if (!isLoopError(error, 'already-answered')) throw error
      })
    }
  }
}

/** Why the recording ends where the run would have continued. */
function describeEndOfRecord(original: Recording): string | undefined {
  if (endedWithoutIntervention(original)) return undefined
  const { outcome, status } = original.state
  const how = outcome === undefined ? `the run is ${status}` : describeOutcome(outcome)
  const last = lastIteration(original)
  const where =
    last === iterationBefore(original) ? 'before its first iteration' : `in iteration ${last}`
  return `the recording ends ${where} (${how})`
}

async function createResult(
  base: HostPorts,
  original: Recording,
  run: RunId,
): Promise<ReplayResult> {
  const again = await readRecording(base, run)
  const { changes } = createTreeStore(base)
  const difference = await findDifference(original, again, changes)
  const end = describeEndOfRecord(original)
  return {
    same: difference === undefined,
    ...defined({ difference, end }),
    exchanges: countExchanges(again),
    iterations: [...original.iterations.keys()].filter((one) => again.iterations.has(one)).length,
    recorded: original.state.spent,
  }
}
