/**
 * Families of objectives for the search composer, whose optimum is known: each knob and each combination costs something,
 * and nothing at the optimum. A case passes with the probability of its own difficulty and of this cost, in logits.
 */

import type { Configuration, Knob } from '#src/loops/tune/search/knobs.ts'
import type { Random } from '#src/loops/tune/statistics/random.ts'

export const families = ['additive', 'sparse', 'interact', 'ridge', 'cliff', 'flat'] as const

export type Family = (typeof families)[number]

const choices = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `value ${at}`)

/** Three numbers, two choices, two toggles and five variants of a text. */
export const knobs: readonly Knob[] = [
  { type: 'number', name: 'x', min: 0, max: 1 },
  { type: 'number', name: 'y', min: 0, max: 1 },
  { type: 'number', name: 'z', min: 0, max: 1 },
  { type: 'choice', name: 'four', choices: choices(4) },
  { type: 'choice', name: 'three', choices: choices(3) },
  { type: 'toggle', name: 'one' },
  { type: 'toggle', name: 'other' },
  { type: 'text', name: 'text', variants: choices(5) },
]

export interface Landscape {
  readonly start: Configuration
  /** What the suite scores in the mean. */
  truth(configuration: Configuration): number
  readonly optimum: number
  /** Scores of these cases. */
  run(configuration: Configuration, cases: readonly number[], random: Random): readonly number[]
}

const numbers = 3
const deviation = 1.6
const achievableMin = 0.1

/** Numbers in [0, 1] for each knob: where a value lies. */
const placeOf = (knob: Knob, value: unknown): number => {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const list = knob.type === 'choice' ? knob.choices : knob.type === 'text' ? knob.variants : []
  return list.indexOf(String(value))
}

const placesOf = (configuration: Configuration): readonly number[] =>
  knobs.map((knob, at) => placeOf(knob, configuration[at]))

export function makeLandscape(family: Family, cases: number, random: Random): Landscape {
  for (;;) {
    const difficulties = Float64Array.from({ length: cases }, () => deviation * normal(random))
    const costOf = makeCost(family, random)
    const top = 1.2 + random()
    const truth = (configuration: Configuration): number => {
      const level = top - costOf(placesOf(configuration))
      return difficulties.reduce((sum, one) => sum + passRate(level + one), 0) / cases
    }
    const optimum = difficulties.reduce((sum, one) => sum + passRate(top + one), 0) / cases
    const start = knobs.map((knob) => drawAt(knob, random))
    if (optimum - truth(start) < achievableMin) continue
    const run: Landscape['run'] = (configuration, places, chance) => {
      const level = top - costOf(placesOf(configuration))
      return places.map((at) => (chance() < passRate(level + (difficulties[at] ?? 0)) ? 1 : 0))
    }
    return { start, truth, optimum, run }
  }
}

const passRate = (logit: number): number => 1 / (1 + Math.exp(-logit))

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function drawAt(knob: Knob, random: Random): Configuration[number] {
  if (knob.type === 'number') return Math.floor(random() * 101) / 100
  if (knob.type === 'toggle') return random() < 0.5
  const list = knob.type === 'choice' ? knob.choices : knob.variants
  return list[Math.floor(random() * list.length)] ?? ''
}

type Cost = (places: readonly number[]) => number

function makeCost(family: Family, random: Random): Cost {
  const best = placesOf(knobs.map((knob) => drawAt(knob, random)))
  const weights = knobs.map((_knob, at) => (at < numbers ? 3 + 3 * random() : 0.3 + 0.9 * random()))
  const lists = knobs.map(() => Array.from({ length: 5 }, () => 0.3 + 0.7 * random()))
  /** What one knob costs: numbers by the square of the distance, others by their value. */
  const ofKnob = (places: readonly number[], at: number): number => {
    const [place = 0, target = 0, weight = 0] = [places[at], best[at], weights[at]]
    if (at < numbers) return weight * (place - target) ** 2
    return place === target ? 0 : weight * (lists[at]?.[place] ?? 1)
  }
  const all: Cost = (places) => knobs.reduce((sum, _knob, at) => sum + ofKnob(places, at), 0)
  const isOff = (places: readonly number[], at: number): boolean =>
    Math.abs((places[at] ?? 0) - (best[at] ?? 0)) > 0.2
  if (family === 'additive') return all
  if (family === 'sparse') {
    const which = new Set([Math.floor(random() * numbers), 3 + Math.floor(random() * 5)])
    return (places) =>
      knobs.reduce((sum, _knob, at) => sum + (which.has(at) ? 2.2 : 0.05) * ofKnob(places, at), 0)
  }
  if (family === 'interact') {
    // Two knobs that are both wrong cost more, or less, than each of them.
    const couples = Array.from({ length: 4 }, () => ({
      one: Math.floor(random() * 8),
      other: Math.floor(random() * 8),
      cost: 1.2 * random() - 0.3,
    }))
    return (places) => {
      const extra = couples.map(({ one, other, cost }) =>
        isOff(places, one) && isOff(places, other) ? cost : 0,
      )
      return Math.max(0, 0.8 * all(places) + extra.reduce((sum, cost) => sum + cost, 0))
    }
  }
  if (family === 'ridge') {
    const sum = (best[0] ?? 0) + (best[1] ?? 0)
    return (places) => {
      const across = (places[0] ?? 0) + (places[1] ?? 0) - sum
      const along = (places[0] ?? 0) - (best[0] ?? 0)
      const others = all(places) - ofKnob(places, 0) - ofKnob(places, 1)
      return 6 * across ** 2 + 0.8 * along ** 2 + others
    }
  }
  if (family === 'cliff') {
    const edge = Math.min(0.95, (best[2] ?? 0) + 0.1 + 0.2 * random())
    return (places) => all(places) + ((places[2] ?? 0) > edge ? 2.5 : 0)
  }
  // Flat: what lies near the optimum costs nothing.
  return (places) =>
    knobs.reduce((sum, _knob, at) => sum + (isOff(places, at) ? ofKnob(places, at) : 0), 0)
}
