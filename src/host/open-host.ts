/**
 * The composition root: fills the engine's ports from a folder. Library, command line and daemon all
 * start here.
 */

import { chmodSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadRun, openQuestions, streamEvents, systemClock } from '../engine/index.ts'
import { createBlobStore, openSqliteJournal } from '../journal/index.ts'
import { LoopError } from '../loop/index.ts'
import { createCheckpointFiles } from './checkpoint-files.ts'
import { collectGarbage } from './collect-garbage.ts'
import { compareFork } from './compare-fork.ts'
import { diffRun } from './diff-run.ts'
import { createDriver, type HostPorts } from './driver.ts'
import type { Host } from './host.ts'
import { extractTree, findProblems } from './look-after.ts'
import { mergeRun } from './merge-run.ts'
import { createModelDoor } from './model-door.ts'
import type { HostOptions } from './options.ts'
import { makeFolder } from './places.ts'
import { removeRun } from './remove-run.ts'
import { openReplay } from './replay/index.ts'
import { createStarts } from './start-runs.ts'
import { stateFolder } from './state-folder.ts'
import { createTells } from './tell-runs.ts'
import { cleanWorktrees, listRunWorktrees } from './worktrees-of-runs.ts'

export async function openHost(options: HostOptions = {}): Promise<Host> {
  const base = openPorts(openFolder(resolve(options.folder ?? stateFolder())), options)
  const { folder, journal, blobs } = base
  const closing = new AbortController()
  const driver = createDriver(base)
  const tells = createTells(base)
  const models = createModelDoor()
  return {
    folder,
    journal,
    blobs,
    models,
    ...tells,
    ...createStarts(base, driver, tells.tell),
    ...createCheckpointFiles(base, driver),
    compareFork: (run) => compareFork(base, run),
    replay: (run, choice) => openReplay(base, driver, run, choice),
    diff: (run, choice) => diffRun(base, run, choice),
    merge: (run, choice) => mergeRun(base, run, choice),
    worktrees: (choice) => listRunWorktrees(base, choice),
    cleanWorktrees: (choice) => cleanWorktrees(base, choice),
    remove: (run, choice) => removeRun(base, run, choice),
    collectGarbage: () => collectGarbage(base),
    problems: () => findProblems(base),
    extract: (tree, to) => extractTree(base, tree, to),
    list: () => journal.listRuns(),
    async inspect(idOrName) {
      const run = await journal.findRun(idOrName)
      const [{ state }, questions, checkpoints] = await Promise.all([
        loadRun(journal, run.id),
        openQuestions(journal, run.id),
        journal.checkpoints(run.id),
      ])
      return { run, state, questions, checkpoints }
    },
    async *events(idOrName, range) {
      const run = await journal.findRun(idOrName)
      const signal = AbortSignal.any([closing.signal, ...(range?.signal ? [range.signal] : [])])
      yield* streamEvents(journal, run.id, { ...range, signal })
    },
    async close() {
      await driver.shutDown()
      closing.abort()
      await models.close()
      await journal.close()
    },
  }
}

/** The folder's real path. One that was there already keeps its mode. */
function openFolder(folder: string): string {
  try {
    const made = makeFolder(folder)
    if (made !== undefined) chmodSync(folder, 0o700)
    return realpathSync(folder)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The folder of the record, ${folder}, cannot be used: ${reason}. Give another.`
    throw new LoopError('store-failed', message, { cause })
  }
}

function openPorts(folder: string, options: HostOptions): HostPorts {
  const { synchronous } = options
  const journal = openSqliteJournal({
    path: join(folder, 'journal.db'),
    ...(synchronous === undefined ? {} : { synchronous }),
  })
  const blobs = createBlobStore({ root: join(folder, 'blobs') })
  return { folder, journal, blobs, clock: systemClock }
}
