/**
 * The composition root: fills the engine's ports from a folder. Library, command line and daemon all
 * start here.
 */

import { chmodSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadRun, openQuestions, streamEvents, systemClock } from '../engine/index.ts'
import { createBlobStore, openSqliteJournal } from '../journal/index.ts'
import { LoopError } from '../loop/index.ts'
import { createCheckpointFiles } from './checkpoint-files.ts'
import { collectGarbage } from './collect-garbage.ts'
import { createDriver, type HostPorts } from './driver.ts'
import type { Host } from './host.ts'
import { extractTree, findProblems } from './look-after.ts'
import type { HostOptions } from './options.ts'
import { createStarts } from './start-runs.ts'
import { stateFolder } from './state-folder.ts'
import { createTells } from './tell-runs.ts'

export async function openHost(options: HostOptions = {}): Promise<Host> {
  const folder = resolve(options.folder ?? stateFolder())
  const base = openPorts(folder, options)
  const { journal, blobs } = base
  const driver = createDriver(base)
  const tells = createTells(base)
  return {
    folder,
    journal,
    blobs,
    ...tells,
    ...createStarts(base, driver, tells.tell),
    ...createCheckpointFiles(base, driver),
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
      yield* streamEvents(journal, run.id, range)
    },
    async close() {
      await driver.shutDown()
      await journal.close()
    },
  }
}

function openPorts(folder: string, options: HostOptions): HostPorts {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The folder of the record, ${folder}, cannot be used: ${reason}. Give another.`
    throw new LoopError('store-failed', message, { cause })
  }
  const { synchronous } = options
  const journal = openSqliteJournal({
    path: join(folder, 'journal.db'),
    ...(synchronous === undefined ? {} : { synchronous }),
  })
  const blobs = createBlobStore({ root: join(folder, 'blobs') })
  return { folder, journal, blobs, clock: systemClock }
}
