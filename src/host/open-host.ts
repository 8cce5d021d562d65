/**
 * The composition root: fills the engine's ports from a state folder, for library, command line and daemon. Reading
 * runs needs few modules; the modules that drive runs are loaded on first use.
 */

import { chmodSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { streamEvents, systemClock } from '../engine/index.ts'
import { inspectRun } from '../history/inspect-run.ts'
import { createBlobStore, openStore } from '../journal/index.ts'
import { createSharedGateway } from '../launch/shared-gateway.ts'
import { defined, LoopError } from '../loop/index.ts'
import type { createCheckpointFiles } from '../runs/checkpoint-files.ts'
import { createDecisions } from '../runs/create-decisions.ts'
import type { Driver } from '../runs/driver.ts'
import type { HostPorts } from '../runs/host-ports.ts'
import type { HostOptions } from '../runs/options.ts'
import type { createStarts } from '../runs/start-runs.ts'
import { localOwners, makeFolder, stateFolder } from '../system/index.ts'
import type { Host } from './host.ts'

export interface OpenHostOptions extends HostOptions, Pick<Host, 'loopTypes'> {}

/** Opens a state folder. Close the host when you are done. */
export async function openHost(options: OpenHostOptions = {}): Promise<Host> {
  const base = openPorts(openFolder(resolve(options.folder ?? stateFolder())), options)
  const { folder, journal, blobs } = base
  const closing = new AbortController()
  const decisions = createDecisions(base)
  const models = createSharedGateway()
  const launching = { ...base, models, ...defined({ loopTypes: options.loopTypes }) }
  const { parts, shutDown } = partsOf(base, decisions.sendDecision)
  return {
    folder,
    journal,
    blobs,
    models,
    ...defined({ loopTypes: options.loopTypes }),
    ...decisions,
    place: async (choice) => (await parts.starts()).place(choice),
    placeFork: async (run, choice) => (await parts.starts()).placeFork(run, choice),
    placeAgain: async (run, workspace) => (await parts.starts()).placeAgain(run, workspace),
    create: async (loop, choice) => (await parts.starts()).create(loop, choice),
    createFork: async (run, loop, choice) => (await parts.starts()).createFork(run, loop, choice),
    carryOver: async (run, exclude, signal) =>
      (await parts.starts()).carryOver(run, exclude, signal),
    rewind: async (run, iteration) => (await parts.starts()).rewind(run, iteration),
    drive: async (place, loop, choice) => (await parts.starts()).drive(place, loop, choice),
    start: async (loop, choice) => (await parts.starts()).start(loop, choice),
    resume: async (run, loop, choice) => (await parts.starts()).resume(run, loop, choice),
    fork: async (run, loop, choice) => (await parts.starts()).fork(run, loop, choice),
    exportCheckpoint: async (run, choice) => (await parts.files()).exportCheckpoint(run, choice),
    restoreCheckpoint: async (text, loop, choice) =>
      (await parts.files()).restoreCheckpoint(text, loop, choice),
    compareFork: async (run) => (await import('../runs/compare-fork.ts')).compareFork(base, run),
    async replay(run, choice) {
      const { openReplay } = await import('../launch/replay/index.ts')
      return openReplay(base, await parts.driver(), run, choice)
    },
    diff: async (run, choice) =>
      (await import('../history/diff-run.ts')).diffRun(base, run, choice),
    reviewQuestion: async (run) =>
      (await import('../history/review-question.ts')).reviewQuestion(base, run),
    merge: async (run, choice) => (await import('./merge-run.ts')).mergeRun(launching, run, choice),
    land: async (run, choice) => (await import('./land-run.ts')).landRun(launching, run, choice),
    async worktrees(choice) {
      const { listRunWorktrees } = await import('../runs/worktrees-of-runs.ts')
      return listRunWorktrees(base, choice)
    },
    async cleanWorktrees(choice) {
      const { cleanWorktrees } = await import('../runs/worktrees-of-runs.ts')
      return cleanWorktrees(base, choice)
    },
    remove: async (run, choice) => (await import('./remove-run.ts')).removeRun(base, run, choice),
    collectGarbage: async () => (await import('./collect-garbage.ts')).collectGarbage(base),
    problems: async () => (await import('./verify-content.ts')).findProblems(base),
    extract: async (tree, to) => (await import('./verify-content.ts')).extractTree(base, tree, to),
    list: () => journal.listRuns(),
    inspect: (run) => inspectRun(journal, run, blobs),
    async *events(idOrName, range) {
      const run = await journal.findRun(idOrName)
      const signal = AbortSignal.any([closing.signal, ...(range?.signal ? [range.signal] : [])])
      yield* streamEvents(journal, run.id, { ...range, signal })
    },
    async close() {
      await shutDown()
      closing.abort()
      await models.close()
      await journal.close()
    },
  }
}

interface Parts {
  driver(): Promise<Driver>
  starts(): Promise<ReturnType<typeof createStarts>>
  files(): Promise<ReturnType<typeof createCheckpointFiles>>
}

/** One driver for all runs, so that closing the host can suspend them. */
function partsOf(
  base: HostPorts,
  sendDecision: Host['sendDecision'],
): { readonly parts: Parts; shutDown(): Promise<void> } {
  let driver: Promise<Driver> | undefined
  const parts: Parts = {
    driver() {
      driver ??= Promise.all([
        import('../runs/driver.ts'),
        import('../launch/prepare-run.ts'),
      ]).then(([{ createDriver }, { prepareWith }]) => createDriver(base, prepareWith(undefined)))
      return driver
    },
    async starts() {
      const starting = await import('../runs/start-runs.ts')
      return starting.createStarts(base, await parts.driver(), sendDecision)
    },
    async files() {
      const keeping = await import('../runs/checkpoint-files.ts')
      return keeping.createCheckpointFiles(base, await parts.driver())
    },
  }
  return { parts, shutDown: async () => (await driver)?.shutDown() }
}

/** Returns the folder's real path. An existing folder keeps its mode. */
function openFolder(folder: string): string {
  try {
    const made = makeFolder(folder)
    if (made !== undefined) chmodSync(folder, 0o700)
    return realpathSync(folder)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Cannot use the state folder ${folder}: ${reason}. Pass another with --state.`
    throw new LoopError('store-failed', message, { cause })
  }
}

function openPorts(folder: string, options: HostOptions): HostPorts {
  const { synchronous } = options
  const journal = openStore({
    path: join(folder, 'journal.db'),
    owners: localOwners,
    ...defined({ synchronous }),
  })
  const blobs = createBlobStore({ root: join(folder, 'blobs') })
  return { folder, journal, blobs, clock: systemClock }
}
