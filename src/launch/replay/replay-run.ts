/**
 * Does a run again from its record: offline, and free. The replay is a run of its own, with the same
 * beginning, in a folder of its own; killed anywhere, it goes on as a replay.
 *
 * A replay of a replay is one more of the run that both come from.
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
  firstOf,
  lastOf,
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
import { createNamed } from '../../runs/run-names.ts'
import { type RunPlace } from '../../runs/run-place.ts'
import { isWithoutGit } from '../../system/index.ts'
import { createTreeDoor } from '../../workspace/tree-store.ts'
import { endedByItself, firstDifference } from './compare.ts'
import type { Replay, ReplayOptions, ReplayResult, ReplayStart } from './replay.ts'
import {
  bringFiles,
  carryApart,
  isReplayFolder,
  placeReplay,
  requireNothingElse,
} from './replay-folder.ts'
import { replayAnswers } from './replay-parts.ts'

export async function openReplay(
  base: HostPorts,
  driver: Driver,
  idOrName: string,
  given: ReplayOptions = {},
): Promise<Replay> {
  const named = await base.journal.findRun(idOrName)
  const original = await readRecording(base, await originOf(base, named))
  const resumed = given.resume === true ? requireReplay(named, original) : undefined
  if (resumed === undefined) requireAtRest(original.run)
  const place =
    resumed === undefined
      ? await placeReplay(base, original, given)
      : await placeAgain(base, resumed)
  const { workspace } = place
  const answers = replayAnswers(base, original, place)
  return {
    original: { run: original.run, state: original.state },
    exchanges: countExchanges(original),
    end: endOfRecord(original),
    workspace,
    answers: answers.replay,
    bringFiles: (files) => bringFiles(files, original.run.workspace, workspace),
    requireFile: (digest) => requireSameFile(original, digest),
    async start(loop, options) {
      const { source, changedFile, name: _name, onProblem, ...parts } = options
      if (changedFile !== true) requireSameFile(original, source?.digest)
      requireNothingElse(place, parts.exclude ?? [], resumed)
      // Before there is a run: one that is cut short while it copies is not gone on with.
      for (const problem of await carryApart(base, original, workspace, parts)) onProblem?.(problem)
      const run = resumed ?? (await create(base, original, loop, place, options))
      await recordAnswers(base, original, run.id)
      // Agents and checks read the log, and are to read what they read then.
      const again = { ...place, id: run.id, name: run.name, signedAs: original.run }
      return driver.drive(again, loop, answers.parts(parts))
    },
    result: (run) => resultOf(base, original, run),
    async removeFiles() {
      if (workspace === undefined || !isReplayFolder(base.folder, workspace)) return
      if (place.worktree === undefined) await rm(workspace, { recursive: true, force: true })
      else await discardWorktree(place.worktree, workspace)
    },
  }
}

async function originOf({ journal }: HostPorts, { id }: Pick<RunRow, 'id'>): Promise<RunId> {
  const { origin } = await readCreated(journal, id)
  // It was followed to its beginning when the replay was made.
  return origin?.type === 'replay' ? origin.run : id
}

/** What is recorded of it ends anywhere, and would be compared with a replay that ends there too. */
function requireAtRest({ name, held }: RunRow): void {
  if (!held) return
  throw new LoopError(
    'run-busy',
    `Run "${name}" is still running; only a run that has ended or was paused can be replayed. Watch it: loopctl watch ${name}. Or pause it first: loopctl pause ${name}`,
  )
}

function requireReplay(named: RunRow, { run }: Recording): RunRow {
  if (named.id !== run.id && !isEnd(named.status)) return named
  const why = named.id === run.id ? 'is no replay' : `has ended (${named.status})`
  throw new LoopError('wrong-status', `Run "${named.name}" ${why}. Replay it instead.`)
}

function requireSameFile({ run, created }: Recording, digest: string | undefined): void {
  const { source: then } = created
  if (then === undefined || then.digest === digest) return
  throw new LoopError(
    'code-changed',
    `${then.file}, or a file that it names, is not what it was when run "${run.name}" was created. ` +
      'Put it back as it was, or name a loop file with --file: the replay shows what that changes.',
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
  return createNamed(name, (given) =>
    createRun(
      loop,
      base,
      {
        ...given,
        limits,
        ...defined({ input, workspace }),
        ...(worktree === undefined ? { withoutGit: isWithoutGit(workspace) } : { worktree }),
        ...defined({ source }),
      },
      beginningOf(original, run.id),
    ),
  )
}

function beginningOf(original: Recording, run: RunId): Beginning {
  const { created, iterations, state } = original
  const iteration = firstOf(original)
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

/** Prompts name them, but did not yet when runs did not record what their checks are. */
const failuresBefore = ({ checks, preflight }: RunState): Pick<Beginning, 'preflight'> =>
  checks === undefined || preflight === undefined ? {} : { preflight: { checks: preflight.checks } }

/** They wait for their questions. What was answered before a kill stays answered. */
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

/** Why the record ends where the run would have gone on. */
function endOfRecord(original: Recording): string | undefined {
  if (endedByItself(original)) return undefined
  const { outcome, status } = original.state
  const how = outcome === undefined ? `the run is ${status}` : describeOutcome(outcome)
  const last = lastOf(original)
  const where = last === firstOf(original) ? 'before its first iteration' : `in iteration ${last}`
  return `the record ends ${where} (${how})`
}

async function resultOf(base: HostPorts, original: Recording, run: RunId): Promise<ReplayResult> {
  const again = await readRecording(base, run)
  const { changes } = createTreeDoor(base)
  const difference = await firstDifference(original, again, changes)
  const end = endOfRecord(original)
  return {
    same: difference === undefined,
    ...defined({ difference, end }),
    exchanges: countExchanges(again),
    iterations: [...original.iterations.keys()].filter((one) => again.iterations.has(one)).length,
    recorded: original.state.spent,
  }
}
