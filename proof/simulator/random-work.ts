/** Random steps of code, agents and tools. */

import type { Amount } from '#src/loop/index.ts'
import type { SeededRandom } from '#src/testing/seeded-random.ts'
import type { Call, Trouble, Work, Write } from './program.ts'

/** What is known while a program is drawn. */
export interface Drawing {
  readonly random: SeededRandom
  readonly exact: boolean
  readonly usesFiles: boolean
  /** How deep inside branches that run side by side. */
  readonly depth: number
  nextName(): string
  /** It has enough. */
  isLarge(): boolean
}

const alwaysTimes = 99

export function randomWork(drawing: Drawing): Work {
  const { random, exact, usesFiles, depth } = drawing
  const trouble = random.chance(0.3) ? randomTrouble(drawing) : undefined
  const partsMs = Array.from({ length: random.between(0, 3) }, () => randomDuration(random))
  const readOnly = !usesFiles || (exact && depth > 0) || random.chance(0.3)
  const reserve = random.chance(0.3) ? randomAmount(random, 500) : undefined
  return {
    type: 'work',
    via: random.pick(['step', 'step', 'step', 'step', 'agent', 'tool']),
    name: drawing.nextName(),
    usesShared: !exact && random.chance(0.4),
    partsMs,
    writes: readOnly || random.chance(0.2) ? undefined : randomWrite(random),
    // A step that may run beside a writer sees whatever is there; exact branches have no writers.
    reads: usesFiles && (!readOnly || (exact && depth > 0)) && random.chance(0.5),
    readOnly,
    timeoutMs: randomTimeoutMs(random, partsMs, trouble),
    attempts: !(exact && trouble) && random.chance(0.2) ? random.between(1, 4) : undefined,
    reserve,
    spends: randomSpending(random, reserve),
    calls: random.chance(0.2)
      ? Array.from({ length: random.between(1, 2) }, () => randomCall(random))
      : [],
    trouble,
    chars: randomSize(random),
    stubborn: random.chance(0.1),
  }
}

export const randomAmount = (random: SeededRandom, max: number): Amount => ({
  tokens: random.between(0, max),
  costMicros: random.between(0, max),
})

function randomDuration(random: SeededRandom): number {
  const roll = random.next()
  if (roll < 0.4) return 0
  return roll < 0.9 ? random.between(1, 300) : random.between(1000, 20_000)
}

function randomTimeoutMs(
  random: SeededRandom,
  partsMs: readonly number[],
  trouble: Trouble | undefined,
): number | undefined {
  const wholeMs = partsMs.reduce((sum, ms) => sum + ms, 0)
  if (trouble?.fault === 'hangs') return wholeMs + random.between(1000, 4000)
  return random.chance(0.1) ? wholeMs + 60_000 : undefined
}

/** Under, at and over the reservation. */
function randomSpending(random: SeededRandom, reserve: Amount | undefined): Amount | undefined {
  if (random.chance(0.3)) return undefined
  if (reserve === undefined) return random.chance(0.2) ? randomAmount(random, 100) : undefined
  const { tokens, costMicros } = reserve
  const factor = random.pick([0, 0.5, 1, 1, 1.3])
  return { tokens: Math.floor(tokens * factor), costMicros: Math.floor(costMicros * factor) }
}

function randomCall(random: SeededRandom): Call {
  const worst = randomAmount(random, 400)
  if (random.chance(0.2)) return { worst, spent: undefined }
  const { tokens, costMicros } = worst
  const over = random.chance(0.2) ? random.between(0, 50) : 0
  return { worst, spent: { tokens: Math.floor(tokens / 2) + over, costMicros } }
}

function randomWrite(random: SeededRandom): Write {
  return {
    path: random.pick(['a.txt', 'b.txt', 'c/d.txt']),
    how: random.pick(['set', 'append', 'append', 'remove']),
  }
}

function randomTrouble(drawing: Drawing): Trouble {
  const { random, exact } = drawing
  const fault = random.pick([
    'transient',
    'transient',
    'permanent',
    'permanent',
    'rate-limited',
    'hangs',
    'not-json',
    random.chance(0.3) ? 'kills' : 'transient',
  ] as const)
  // In exact programs a step either fails for good or not at all, however often it was cut short.
  const lasting = fault === 'permanent' || fault === 'not-json' || random.chance(0.3)
  const few = random.between(1, exact ? 2 : 4)
  // A step that kills its process is blamed on those beside it, too.
  const isAlways = fault === 'kills' ? !exact && random.chance(0.1) : exact && lasting
  const times = fault === 'rate-limited' || !isAlways ? few : alwaysTimes
  const iteration = random.chance(0.6) ? random.between(1, 3) : undefined
  return { fault, times, iteration }
}

/** Mostly small; at times enough of them to fill a snapshot; rarely too large for a row. */
function randomSize(random: SeededRandom): number {
  const roll = random.next()
  if (roll < 0.85) return random.between(0, 40)
  return roll < 0.98 ? random.between(5000, 20_000) : 66_000
}
