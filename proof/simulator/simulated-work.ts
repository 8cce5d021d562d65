/** The code of a random step: takes its time, changes files, spends, and fails as its plan says. */

import { FaultError, type Json, rateLimited, type StepContext } from '#src/loop/index.ts'
import type { Execution } from './execution-watch.ts'
import { digest, mix, type Trouble, type Work } from './program.ts'
import type { SimulatedFiles } from './simulated-files.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { SimulatedWorld } from './simulated-world.ts'

export interface WorkPlace {
  readonly world: SimulatedWorld
  readonly process: SimulatedProcess
  readonly files: SimulatedFiles | undefined
  /** Run, iteration and step: the same for every attempt. */
  readonly key: string
  readonly iteration: number
  /** Whether what it writes counts. */
  mayWrite(): boolean
}

const foreverMs = 36_000_000

export async function doWork(
  work: Work,
  input: number,
  place: WorkPlace,
  context: StepContext,
  execution: Execution,
): Promise<Json | undefined> {
  const { files, process } = place
  const found = work.reads ? digest(files?.tree()) : 0
  const sleep = (ms: number): Promise<void> =>
    process.clock.sleep(ms, work.stubborn ? undefined : context.signal)
  for (const [index, ms] of work.partsMs.entries()) {
    await sleep(ms)
    if (index === 0) write(work, input, place, context)
  }
  if (work.partsMs.length === 0) write(work, input, place, context)
  if (work.spends !== undefined) {
    context.spend(work.spends)
    execution.spends(work.spends)
  }
  for (const call of work.calls) {
    const reservation = await context.reserve(call.worst)
    execution.calls()
    await sleep(1)
    if (call.spent !== undefined) await reservation.settle(call.spent)
  }
  const trouble = meets(work.trouble, place)
  if (trouble !== undefined) await suffer(trouble, place, sleep)
  return resultOf(work, mix(input, found), trouble)
}

function write(work: Work, input: number, place: WorkPlace, context: StepContext): void {
  const { writes } = work
  // A step that was told to end leaves files alone, also one that does not end.
  if (writes === undefined || context.signal.aborted || !place.mayWrite()) return
  const before = place.files?.read().get(writes.path) ?? ''
  const content = { set: `${input}`, append: `${before}${input};`, remove: undefined }
  place.files?.write(writes.path, content[writes.how])
}

/** Whether this attempt is one of those that fail. */
function meets(trouble: Trouble | undefined, place: WorkPlace): Trouble | undefined {
  if (trouble === undefined) return undefined
  if (trouble.iteration !== undefined && trouble.iteration !== place.iteration) return undefined
  const met = place.world.troubles.get(place.key) ?? 0
  if (met >= trouble.times) return undefined
  place.world.troubles.set(place.key, met + 1)
  return trouble
}

async function suffer(
  trouble: Trouble,
  place: WorkPlace,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  switch (trouble.fault) {
    case 'transient':
      throw new FaultError({ code: 'flaky', message: 'not this time', retryable: true })
    case 'permanent':
      throw new Error('never')
    case 'rate-limited':
      throw rateLimited('slow down', place.world.time.nowMs + place.world.random.between(1, 60_000))
    case 'hangs':
      return sleep(foreverMs)
    case 'kills':
      place.process.crash(true)
      return sleep(foreverMs)
    case 'not-json':
      return
  }
}

function resultOf(work: Work, value: number, trouble: Trouble | undefined): Json | undefined {
  // What cannot be stored is refused by the engine.
  if (trouble?.fault === 'not-json') return { value: Number.NaN }
  const text = `${value}`.padEnd(work.chars, 'x')
  if (work.via === 'agent')
    return { status: 'done', text, usage: { tokens: 1, costMicros: 1 }, turns: 1 }
  if (work.via === 'tool') return { ok: value % 2 === 0, output: text }
  return value % 7 === 0 ? undefined : { value, text }
}
