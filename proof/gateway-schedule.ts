/**
 * What happens in one run of the budget proof, decided by a seed: which children ask what, how the
 * provider answers, when the process that drives the run dies, and how much it may spend.
 */

import type { ModelAnswer } from 'loopwright/testing'
import { type SeededRandom, seededRandom } from '#src/testing/seeded-random.ts'
import { formats, outputMax, type Question } from './gateway-questions.ts'

export interface Schedule {
  readonly seed: number
  readonly capTokens: number
  /** Children side by side; each asks one thing after the other. */
  readonly children: readonly (readonly Question[])[]
  /** In the order in which they are asked for, over and over. */
  readonly answers: readonly ModelAnswer[]
  /** After the request of this number, and so many milliseconds. Each comes once. */
  readonly deaths: readonly Death[]
}

export interface Death {
  readonly request: number
  readonly afterMs: number
}

/** Every estimate of a question is higher. */
const inputMax = 40
/** A provider that counts what nobody could expect. */
const surpriseInput = 1500
/** The dearest of all calls. */
export const oneCallTokens: number = surpriseInput + outputMax

export function makeSchedule(seed: number, isKilled: boolean): Schedule {
  const random = seededRandom(seed)
  const many = <T>(min: number, max: number, make: () => T): readonly T[] =>
    Array.from({ length: random.between(min, max) }, make)
  const children = many(1, 4, () =>
    many(1, 4, () => ({ format: random.pick(formats), streamed: random.chance(0.5) })),
  )
  const deaths =
    isKilled || random.chance(0.4)
      ? many(1, 3, () => ({ request: random.between(1, 8), afterMs: random.between(0, 12) }))
      : []
  // A provider that takes no request, ever, is another story: the engine waits for hours.
  const answers = [...many(0, 11, () => makeAnswer(random)), makeWhole(random)]
  const capTokens = random.chance(0.1) ? random.between(0, 1500) : random.between(1500, 12_000)
  // One call in such a schedule counts more input than was estimated; with a death nobody would know.
  const isSurprising = deaths.length === 0 && random.chance(0.3)
  const surprise = { text: 'ok', usage: { input: surpriseInput, output: outputMax } }
  return {
    seed,
    capTokens,
    children,
    answers: isSurprising ? [...answers, surprise] : answers,
    deaths,
  }
}

const makeWhole = (random: SeededRandom): ModelAnswer => ({
  text: 'ok',
  usage: { input: random.between(0, inputMax), output: random.between(0, outputMax) },
})

function makeAnswer(random: SeededRandom): ModelAnswer {
  const whole = makeWhole(random)
  const luck = random.next()
  if (luck < 0.65) return whole
  if (luck < 0.75) return { ...whole, fault: { does: 'cut', afterEvents: random.between(0, 6) } }
  if (luck < 0.8) return { ...whole, fault: { does: 'split' } }
  if (luck < 0.87) return { status: 429, headers: { 'retry-after': '1' } }
  if (luck < 0.9) return { does: 'cut' }
  return random.pick([{ status: 500 }, { status: 529 }, { status: 401 }, { status: 400 }])
}

export const isSurprise = (answer: ModelAnswer): boolean =>
  'usage' in answer && answer.usage?.input === surpriseInput

/** Nobody but the provider can know what it bills for a broken answer. */
export const isBroken = (answer: ModelAnswer): boolean =>
  'does' in answer || ('fault' in answer && answer.fault?.does === 'cut')
