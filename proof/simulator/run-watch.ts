/**
 * Watches one run from outside: reads the rows that are on disk, past the engine and its memory, and
 * compares them with what the loop's code and its steps live through.
 */

import type { Lease, Unit } from '#src/engine/index.ts'
import { decodeEvent } from '#src/journal/event-code.ts'
import type { RecordedEvent, RunId } from '#src/loop/index.ts'
import type { Lane } from '#src/testing/simulated-time.ts'
import { createExecutionWatch } from './execution-watch.ts'
import { createLogModel, type LogModel } from './log-model.ts'
import type { ProgramContext } from './run-program.ts'
import type { SimulatedFiles } from './simulated-files.ts'
import type { SimulatedWorld } from './simulated-world.ts'
import { createVisitWatch, type VisitWatch } from './visit-watch.ts'

export interface RunWatch {
  readonly run: RunId
  readonly log: LogModel
  /** What iterations were given, by epoch and iteration. */
  readonly contexts: ReadonlyMap<string, ProgramContext>
  /** Reads what became durable since. */
  sync(): void
  /** A unit was acknowledged to the holder of a lease. */
  wrote(lease: Lease, unit: Unit): void
  /** A process enters an iteration. */
  enter(lane: Lane, iteration: number, context: ProgramContext): VisitWatch
  violate(reason: string): void
}

export interface RunWatchOptions {
  readonly run: RunId
  readonly world: SimulatedWorld
  readonly files: SimulatedFiles | undefined
  readonly violate: (reason: string) => void
  readonly onEvent: (recorded: RecordedEvent) => void
}

export function createRunWatch(watching: RunWatchOptions): RunWatch {
  const { run, world, files, violate, onEvent } = watching
  const log = createLogModel(violate)
  const contexts = new Map<string, ProgramContext>()
  const inputs = new Map<string, number>()
  const readRows = rowReader(world, run)
  const executions = createExecutionWatch({ log, files, sync, violate })

  let seen = -1
  function sync(): void {
    if (world.commits === seen) return
    seen = world.commits
    for (const recorded of readRows(log.state.seq)) {
      log.add(recorded)
      executions.charged(recorded.event)
      onEvent(recorded)
    }
  }

  return {
    run,
    log,
    contexts,
    sync,
    violate,
    wrote(lease, unit) {
      sync()
      const last = unit.firstSeq + unit.events.length - 1
      if (log.state.seq < last) violate(`E1: event ${last} was acknowledged and is not on disk`)
      const started = log.events.findLast(
        ({ seq, event }) => event.type === 'run-started' && seq <= last,
      )?.event
      if (started?.type === 'run-started' && started.fence > lease.fence) {
        violate(`a process with fence ${lease.fence} wrote after fence ${started.fence}`)
      }
    },
    enter(lane, iteration, context) {
      sync()
      const isZombie = (): boolean => world.holders.get(run) !== lane || lane.state !== 'running'
      const place = `${log.epoch}/${iteration}`
      const known = contexts.get(place)
      // A process that lost the run goes on in a past of its own; nothing of it is kept.
      if (!isZombie()) {
        if (known !== undefined && JSON.stringify(known) !== JSON.stringify(context)) {
          violate(`E3: iteration ${iteration} got another context`)
        }
        contexts.set(place, context)
      }
      const isDead = (): boolean => lane.state === 'dead'
      const options = { log, iteration, inputs, executions, isZombie, isDead, sync, violate }
      return createVisitWatch(options)
    },
  }
}

function rowReader(world: SimulatedWorld, run: RunId): (afterSeq: number) => RecordedEvent[] {
  const select = world.database.prepare(
    'SELECT position, seq, at, type, body FROM events ' +
      'WHERE run = (SELECT key FROM runs WHERE id = ?) AND seq > ? ORDER BY seq',
  )
  interface Row {
    readonly position: number
    readonly seq: number
    readonly at: number
    readonly type: number
    readonly body: string
  }
  return (afterSeq) =>
    (select.all(run, afterSeq) as Row[]).map(({ seq, position, at, type, body }) => ({
      run,
      seq,
      position,
      atMs: at,
      event: decodeEvent(type, body),
    }))
}
