/**
 * The folders of one victim, and the ports over them: those of the product, with every call watched.
 *
 *   base/state      the record: journal and blobs
 *   base/work       the workspace
 *   base/outside    nothing may change in here
 *   base/flags      what the steps remember across a crash
 *   base/world.log  what actions did, one line each
 *   base/effects.log, base/companion-1.log, base/companion-2.log
 */

import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Actions,
  type AnyLoopType,
  type Check,
  type Commands,
  createPlainCommands,
  type Gate,
  type RunId,
  type RunParts,
} from 'loopwright'
import { driveRun } from '#src/engine/drive-run.ts'
import { createRun, type Ports, type Store, systemClock } from '#src/engine/index.ts'
import { createBlobStore, openDatabase } from '#src/journal/index.ts'
import { killAbandoned } from '#src/sandbox/index.ts'
import { createOwnerId } from '#src/system/index.ts'
import { createFakeCertifier } from '#src/testing/fake-certifier.ts'
import { memoryBlobs } from '#src/testing/memory-blobs.ts'
import { openLocalStore } from '#src/testing/open-local-store.ts'
import { createDirectoryWorkspace } from '#src/workspace/index.ts'
import { type Effects, openEffects } from './effects.ts'
import {
  type Counter,
  createCounter,
  type Watch,
  watchFiles,
  watchSpawn,
  watchStatements,
} from './failpoints.ts'
import { observe, type Witness } from './observe-loop.ts'
import { type Sabotage, sabotagedJournal, sabotagedWorkspace } from './sabotage.ts'
import { companionLoop, victimFiles, victimLimits, victimLoop } from './victim-loop.ts'

const isRunId = (id: string): id is RunId => id.length === 36

/** Small runs beside the victim's, so that units of several runs share commits. */
export const companionRuns: readonly RunId[] = [
  asRunId('01890000-0000-7000-8000-00000000000a'),
  asRunId('01890000-0000-7000-8000-00000000000b'),
]

export const victimRun: RunId = asRunId('01890000-0000-7000-8000-000000000001')

export function asRunId(id: string): RunId {
  assert(isRunId(id))
  return id
}

export const outsideFiles: Readonly<Record<string, string>> = {
  'canary.txt': 'sings\n',
  'kept/inner.txt': 'kept\n',
}

export interface Places {
  readonly journal: string
  readonly blobs: string
  readonly work: string
  readonly outside: string
  readonly flags: string
  readonly world: string
  readonly effects: string
  readonly companions: readonly string[]
}

export const placesIn = (base: string): Places => ({
  journal: join(base, 'state', 'journal.db'),
  blobs: join(base, 'state', 'blobs'),
  work: join(base, 'work'),
  outside: join(base, 'outside'),
  flags: join(base, 'flags'),
  world: join(base, 'world.log'),
  effects: join(base, 'effects.log'),
  companions: [join(base, 'companion-1.log'), join(base, 'companion-2.log')],
})

/** What is there before the first process starts. */
export function layOut(base: string): void {
  const places = placesIn(base)
  for (const folder of [dirname(places.journal), places.work, places.outside, places.flags]) {
    mkdirSync(folder, { recursive: true })
  }
  writeAll(places.work, victimFiles)
  writeAll(places.outside, outsideFiles)
  writeFileSync(places.world, '')
}

export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

export interface VictimOptions {
  readonly base: string
  readonly effects: Effects
  readonly watch: Watch
  readonly rounds: number
  /** How much later it is than by the clock: past a lease that could not be given back. */
  readonly laterMs?: number
  readonly sabotage?: Sabotage | undefined
}

interface Victim {
  readonly loop: AnyLoopType
  readonly ports: Ports
  readonly journal: Store
}

function openVictim(options: VictimOptions): Victim {
  const { base, effects, watch, sabotage } = options
  const places = placesIn(base)
  const counter = createCounter()
  const opening = counter.next('sql.open', true)
  watch.reach(opening, 'before')
  const database = openDatabase(places.journal, 'FULL')
  watch.reach(opening, 'after')
  const journal = openLocalStore({
    path: places.journal,
    database: watchStatements(database, counter, watch),
    now: () => Date.now() + (options.laterMs ?? 0),
  })
  const blobs = createBlobStore({ root: places.blobs, files: watchFiles('blobs', counter, watch) })
  const workspace = createDirectoryWorkspace({
    path: places.work,
    blobs,
    files: watchFiles('work', counter, watch),
  })
  const commands = createPlainCommands({ spawn: watchSpawn(counter, watch) })
  const tools = {
    files: watchFiles('step', counter, watch),
    commands,
    work: places.work,
    flags: places.flags,
    paid: (iteration: number, step: string, attempt: number) =>
      effects.write({ type: 'called', iteration, step, attempt }),
  }
  const parts: RunParts = {
    checks: { whole: wholeCheck(commands) },
    actions: worldActions(places.world, counter, watch, sabotage),
    gate,
  }
  const observed = observe(victimLoop(tools, options.rounds), parts, witness(places.work, effects))
  return {
    loop: observed.loop,
    journal,
    ports: {
      ...observed.parts,
      journal: sabotagedJournal(journal, sabotage),
      blobs,
      clock: systemClock,
      certifier: createFakeCertifier(),
      workspace: sabotagedWorkspace(workspace, sabotage),
    },
  }
}

export const gate: Gate = { judge: async () => ({ type: 'allow' }) }

/** Creates the runs unless they are there, and drives them side by side. */
export async function driveVictim(options: VictimOptions): Promise<void> {
  const { work, companions } = placesIn(options.base)
  const { loop, ports, journal } = openVictim(options)
  const { workspace: _workspace, ...others } = ports
  const beside = companionRuns.map((id, index) => {
    const effects = openEffects(companions[index] ?? '')
    return { id, effects, loop: observe(companionLoop, {}, witness(undefined, effects)).loop }
  })
  try {
    await createUnlessThere(journal, victimRun, options.effects, (run) =>
      createRun(loop, ports, { ...run, limits: victimLimits, workspace: work }),
    )
    for (const one of beside) {
      await createUnlessThere(journal, one.id, one.effects, (run) =>
        createRun(one.loop, others, run),
      )
    }
    // As the host does: what a dead process started could still change files.
    if (options.sabotage !== 'leave-orphans') await killAbandoned()
    const ends = await Promise.allSettled([
      driveRun(victimRun, loop, ports, { owner: createOwnerId() }),
      ...beside.map((one) => driveRun(one.id, one.loop, others, { owner: createOwnerId() })),
    ])
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } finally {
    for (const { effects } of beside) effects.close()
    await journal.close()
  }
}

async function createUnlessThere(
  journal: Store,
  id: RunId,
  effects: Effects,
  create: (run: { id: RunId; name: string }) => Promise<void>,
): Promise<void> {
  const runs = await journal.listRuns()
  if (runs.some((run) => run.id === id)) return
  await create({ id, name: `run-${id}` })
  effects.write({ type: 'accepted' })
}

/** Writes down what happens, with the tree that each step finds. */
function witness(work: string | undefined, effects: Effects): Witness {
  return {
    async began(place, attempt, files) {
      const tree = files && work !== undefined ? { tree: await treeOf(work) } : {}
      effects.write({ type: 'began', ...place, attempt, ...tree })
    },
    resolved(place, hash) {
      effects.write({ type: 'resolved', ...place, hash })
    },
  }
}

/** Found with another store and no memory of what was there before. */
export const treeOf = (work: string): Promise<string> =>
  createDirectoryWorkspace({ path: work, blobs: memoryBlobs() }).snapshot()

export function wholeCheck(commands: Commands): Check {
  const script = 'test -f made.txt && test -f flaky.txt && tail -n 1 history.txt'
  return async ({ workspace = '.', signal }) => {
    const command = { program: 'sh', args: ['-c', script], cwd: workspace }
    const { exitCode, stdout } = await commands.run(command, signal)
    return { status: exitCode === 0 ? 'met' : 'not-met', output: stdout }
  }
}

/** The world is a file that is only ever added to. */
export function worldActions(
  world: string,
  counter: Counter,
  watch: Watch,
  sabotage?: Sabotage,
): Actions {
  return {
    async perform(action, key) {
      const call = counter.next('world.append', true)
      watch.reach(call, 'before')
      appendFileSync(world, `${key}\n`)
      watch.reach(call, 'after')
      return { status: 'done', summary: action.summary }
    },
    async find(action, key) {
      const done = readFileSync(world, 'utf8').split('\n').includes(key)
      if (!done || sabotage === 'never-find') return { type: 'not-done' }
      return { type: 'done', receipt: { status: 'done', summary: action.summary } }
    },
  }
}
