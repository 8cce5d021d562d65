/**
 * Watches one run from outside: reads the rows that are on disk, past the engine and its memory, and
 * compares them with what the loop's code and its steps live through.
 *
 * E1. What is handed to the code is on disk, in the order of the journal; so is the start of a step
 *     whose code runs.
 * E2. A step with a result does not run; an attempt runs once, on the tree that its start names.
 * E3. The context of an iteration depends on input and progress alone.
 */

import type { Lease, Unit } from '../engine/index.ts'
import { decodeEvent } from '../journal/index.ts'
import type { Amount, RecordedEvent, RunEvent, RunId } from '../loop/index.ts'
import { createLogModel, type LogModel } from './log-model.ts'
import type { Work } from './program.ts'
import type { ProgramContext } from './run-program.ts'
import type { SimulatedFiles } from './simulated-files.ts'
import type { Lane } from './simulated-time.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface RunWatch {
  readonly run: RunId
  readonly log: LogModel
  /** How many times code of steps was run. */
  readonly executions: number
  /** Reads what became durable since. */
  sync(): void
  wrote(lease: Lease, unit: Unit): void
  enter(lane: Lane, iteration: number, context: ProgramContext): VisitWatch
  violate(reason: string): void
}

/** What one process lives through in one iteration. */
export interface VisitWatch {
  asked(step: string, input: number): void
  handed(step: string): void
  lost(): void
  started(work: Work, step: string, attempt: number): Execution
}

/** One attempt of a step, while its code runs. */
export interface Execution {
  /** It says what it spent. */
  spends(amount: Amount): void
  /** It makes a call for which it reserved. */
  calls(): void
}

interface Attempted {
  spent: Amount | undefined
}

export function createRunWatch(
  run: RunId,
  world: SimulatedWorld,
  files: SimulatedFiles | undefined,
  violate: (reason: string) => void,
  onEvent: (recorded: RecordedEvent) => void,
): RunWatch {
  const log = createLogModel(violate)
  const contexts = new Map<string, string>()
  const inputs = new Map<string, number>()
  const attempts = new Map<string, Attempted>()
  const calls = new Map<string, number>()
  const readRows = rowReader(world, run)

  function sync(): void {
    for (const recorded of readRows(log.state.seq)) {
      log.add(recorded)
      checkSpent(recorded.event)
      onEvent(recorded)
    }
  }

  /** A step is charged what it said, else what it reserved; one that did not run, nothing. */
  function checkSpent(event: RunEvent): void {
    switch (event.type) {
      case 'step-finished':
      case 'step-failed':
      case 'step-interrupted':
        break
      default:
        return
    }
    const { step, attempt } = event
    const trip = log.trips.at(-1)
    const started = trip?.starts.get(step)?.find((one) => one.attempt === attempt)
    const known = attempts.get(`${log.epoch}/${event.iteration}/${step}/${attempt}`)
    const due = known?.spent ?? started?.reserved
    if (JSON.stringify(due) === JSON.stringify(event.spent)) return
    violate(`E4: "${step}" is charged ${JSON.stringify(event.spent)}, not ${JSON.stringify(due)}`)
  }

  function enter(lane: Lane, iteration: number, context: ProgramContext): VisitWatch {
    sync()
    const place = `${log.epoch}/${iteration}`
    const text = JSON.stringify(context)
    const known = contexts.get(place)
    if (known !== undefined && known !== text)
      violate(`E3: iteration ${iteration} got another context`)
    contexts.set(place, text)
    return visit(lane, iteration, place)
  }

  function visit(lane: Lane, iteration: number, place: string): VisitWatch {
    let lastSeq = 0
    let lost = false
    const isZombie = (): boolean => world.holders.get(run) !== lane || lane.state !== 'running'
    return {
      lost() {
        lost = true
      },
      asked(step, input) {
        if (lost || isZombie()) return
        const known = inputs.get(`${place}/${step}`)
        if (known !== undefined && known !== input) {
          violate(`E2: "${step}" of iteration ${iteration} was asked for with another input`)
        }
        inputs.set(`${place}/${step}`, input)
      },
      handed(step) {
        if (lost || isZombie()) return
        sync()
        const completion = openTrip(iteration)?.completions.get(step)
        if (completion === undefined) {
          violate(`E1: the result of "${step}" was handed over and is not on disk`)
        } else if (completion.seq <= lastSeq) {
          violate(`E2: the result of "${step}" was handed over out of order`)
        } else lastSeq = completion.seq
      },
      started(work, step, attempt) {
        if (!isZombie()) return start(work, step, attempt, iteration)
        // A hook before a tool may be where the process was frozen: the step is under way then.
        if (work.via !== 'tool') violate(`E2: "${step}" was started by a process that lost the run`)
        return { spends: () => undefined, calls: () => undefined }
      },
    }
  }

  function openTrip(iteration: number): LogModel['open'] {
    return log.open?.iteration === iteration ? log.open : undefined
  }

  function start(work: Work, step: string, attempt: number, iteration: number): Execution {
    sync()
    const trip = openTrip(iteration)
    const started = trip?.starts.get(step)?.at(-1)
    const key = `${log.epoch}/${iteration}/${step}/${attempt}`
    if (started?.attempt !== attempt) violate(`E1: "${step}" runs before its start is on disk`)
    if (trip?.completions.has(step) === true) violate(`E2: "${step}" runs again`)
    if (attempts.has(key)) violate(`E2: attempt ${attempt} of "${step}" runs twice`)
    const tree = work.readOnly ? undefined : files?.tree()
    if (started?.tree !== tree) {
      violate(`E2: "${step}" starts on tree ${tree}, and the journal says ${started?.tree}`)
    }
    if (JSON.stringify(started?.reserved) !== JSON.stringify(work.reserve)) {
      violate(`E4: "${step}" runs without its reservation`)
    }
    const execution: Attempted = { spent: undefined }
    attempts.set(key, execution)
    return follow(execution, step)
  }

  function follow(execution: Attempted, step: string): Execution {
    return {
      spends(amount) {
        const { tokens, costMicros } = execution.spent ?? { tokens: 0, costMicros: 0 }
        execution.spent = {
          tokens: tokens + amount.tokens,
          costMicros: costMicros + amount.costMicros,
        }
      },
      calls() {
        sync()
        const made = (calls.get(step) ?? 0) + 1
        calls.set(step, made)
        const reserved = log.events.filter(
          ({ event }) => event.type === 'budget-reserved' && event.step === step,
        )
        if (reserved.length < made) violate(`E4: "${step}" calls without a reservation`)
      },
    }
  }

  return {
    run,
    log,
    get executions() {
      return attempts.size
    },
    sync,
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
    enter,
    violate,
  }
}

function rowReader(world: SimulatedWorld, run: RunId): (afterSeq: number) => RecordedEvent[] {
  const select = world.database.prepare(
    'SELECT position, seq, at, type, body FROM events WHERE run = (SELECT key FROM runs WHERE id = ?) ' +
      'AND seq > ? ORDER BY seq',
  )
  return (afterSeq) =>
    (
      select.all(run, afterSeq) as {
        position: number
        seq: number
        at: number
        type: number
        body: string
      }[]
    ).map((row) => ({
      run,
      seq: row.seq,
      position: row.position,
      atMs: row.at,
      event: decodeEvent(row.type, row.body),
    }))
}
