import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomFrom } from '../statistics/random.ts'
import {
  alternatives,
  type Configuration,
  countConfigurations,
  drawConfiguration,
  type Knob,
  keyOf,
  mutate,
} from './knobs.ts'
import { proposeOptions } from './options.ts'
import { bestConfiguration, casesOfPart, recordBatch, type Search, startSearch } from './search.ts'
import { estimateTrials, untried, withScores } from './trials.ts'

const name = fc.string({ maxLength: 5 })
const knob: fc.Arbitrary<Knob> = fc.oneof(
  fc.record({
    type: fc.constant('number' as const),
    name,
    min: fc.integer({ min: -5, max: 5 }),
    max: fc.integer({ min: -5, max: 5 }),
    step: fc.constantFrom(0.1, 0.25, 1, 3),
  }),
  fc.record({
    type: fc.constant('choice' as const),
    name,
    choices: fc.array(fc.string({ maxLength: 2 }), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ type: fc.constant('toggle' as const), name }),
  fc.record({
    type: fc.constant('text' as const),
    name,
    variants: fc.array(fc.string({ maxLength: 2 }), { minLength: 1, maxLength: 4 }),
  }),
)
const someKnobs = fc.array(knob, { minLength: 1, maxLength: 4 })

const typical: readonly Knob[] = [
  { type: 'number', name: 'temperature', min: 0, max: 1 },
  { type: 'choice', name: 'order', choices: ['a', 'b', 'c', 'd'] },
  { type: 'toggle', name: 'examples' },
  { type: 'text', name: 'opening', variants: ['x', 'y', 'z'] },
]
const start: Configuration = [0.1, 'a', false, 'x']
/** Best: 0.8, c, true, z. */
const rateOf = ([temperature, order, examples, opening]: Configuration): number =>
  0.95 -
  0.7 * (Number(temperature) - 0.8) ** 2 -
  (order === 'c' ? 0 : 0.15) -
  (examples === true ? 0 : 0.1) -
  (opening === 'z' ? 0 : 0.1)

/** Plays batches with scores by chance, 12 cases in each part. */
function play(knobs: readonly Knob[], from: Configuration, batches: number, seed: number): Search {
  const random = randomFrom(seed)
  let search = startSearch(knobs, from, random)
  for (let batch = 0; batch < batches; batch++) {
    const scores = search.batch.map(({ trial }) => {
      const rate = rateOf(search.trials[trial]?.values ?? [])
      return Array.from({ length: 12 }, () => (random() < rate ? 1 : 0))
    })
    search = recordBatch(knobs, search, scores, random)
  }
  return search
}

describe('knobs', () => {
  const valid = (knobs: readonly Knob[], values: Configuration): void => {
    for (const [at, one] of knobs.entries()) {
      const value = values[at]
      if (one.type === 'choice') expect(one.choices).toContain(value)
      else if (one.type === 'text') expect(one.variants).toContain(value)
      else if (one.type === 'toggle') expect(typeof value).toBe('boolean')
      else {
        expect(value).toBeGreaterThanOrEqual(one.min)
        expect(value).toBeLessThanOrEqual(Math.max(one.min, one.max))
      }
    }
  }

  test('what is drawn, mutated or swept stays within the knobs', () => {
    fc.assert(
      fc.property(someKnobs, fc.nat(), (knobs, seed) => {
        const random = randomFrom(seed)
        const drawn = drawConfiguration(knobs, random)
        valid(knobs, drawn)
        valid(knobs, mutate(knobs, drawn, random))
        for (const at of knobs.keys()) {
          for (const one of alternatives(knobs, drawn, at, 0.25)) {
            valid(knobs, one)
            const changed = one.filter((value, place) => value !== drawn[place])
            expect(changed).toHaveLength(1)
          }
        }
      }),
    )
  })

  test('numbers are written without the noise of fractions, and move by one step at least', () => {
    const knobs: readonly Knob[] = [{ type: 'number', name: 'n', min: 0, max: 1, step: 0.1 }]
    expect(alternatives(knobs, [0.2], 0, 0.01)).toEqual([[0.1], [0.3]])
    expect(alternatives(knobs, [0.25], 0, 0.01)).toEqual([[0.2], [0.3]])
    expect(alternatives(knobs, [1], 0, 0.25)).toEqual([[0.8]])
    expect(countConfigurations([...knobs, ...knobs])).toBe(121)
  })
})

describe('a search', () => {
  test('is the same with the same seed, and goes on from a journal as if it had not stopped', () => {
    const once = play(typical, start, 60, 3)
    expect(play(typical, start, 60, 3)).toEqual(once)
    expect(play(typical, start, 60, 4)).not.toEqual(once)
    const stored: Search = JSON.parse(JSON.stringify(once))
    expect(stored).toEqual(once)
    const scores = once.batch.map(() => [1, 0])
    const next = (search: Search): Search => recordBatch(typical, search, scores, randomFrom(9))
    expect(next(stored)).toEqual(next(once))
  })

  test('finds a good configuration', () => {
    const best = bestConfiguration(play(typical, start, 120, 11))
    expect(rateOf(best)).toBeGreaterThan(0.85)
    expect(best.slice(1)).toEqual(['c', true, 'z'])
  })

  test('always has something to run, whatever the knobs and the scores', () => {
    fc.assert(
      fc.property(someKnobs, fc.nat(), (knobs, seed) => {
        const random = randomFrom(seed)
        let search = startSearch(knobs, drawConfiguration(knobs, random), random)
        const isOpen = countConfigurations(knobs) > 1
        for (let batch = 0; batch < 40; batch++) {
          expect(search.batch.length > 0).toBe(isOpen)
          const runs = search.batch.map(({ trial, part }) => `${trial} ${part}`)
          expect(new Set(runs).size).toBe(runs.length)
          // Some runs end without a score, and some batches as a whole.
          const scores = search.batch.map(() =>
            Array.from({ length: Math.floor(random() * 3) }, () => Math.round(random())),
          )
          search = recordBatch(knobs, search, scores, random)
        }
        const keys = search.trials.map(({ values }) => keyOf(values))
        expect(new Set(keys).size).toBe(keys.length)
      }),
      { numRuns: 40 },
    )
  })

  test('cuts the suite into parts that have each case once', () => {
    const cases = Array.from({ length: 10 }, (_, at) => at)
    const cut = [0, 1, 2, 3].flatMap((part) => casesOfPart(cases, part))
    expect(cut.toSorted((a, b) => a - b)).toEqual(cases)
  })

  test('corrects for a part that is easier than the others', () => {
    const [hard, easy] = [0, 1]
    const [one, both, other] = [
      withScores(untried(['easy only']), easy, [1, 1, 1, 0]),
      withScores(withScores(untried(['both']), hard, [0, 0, 0, 1]), easy, [1, 1, 1, 1]),
      withScores(untried(['hard only']), hard, [0, 0, 0, 1]),
    ]
    const [first, second, third] = estimateTrials([one, both, other])
    expect(second?.mean).toBeGreaterThan(first?.mean ?? 1)
    expect((first?.mean ?? 1) - (third?.mean ?? 0)).toBeLessThan(0.3)
  })
})

describe('the options', () => {
  const search = play(typical, start, 30, 5)

  test('are three edits, the best one first, with what each knob turns', () => {
    const proposal = proposeOptions(typical, search, { current: start, tried: [] }, randomFrom(1))
    expect(proposal.type).toBe('options')
    const [first, second, third] = proposal.options
    expect(first?.expected).toBeGreaterThanOrEqual(second?.expected ?? 1)
    expect(second?.expected).toBeGreaterThanOrEqual(third?.expected ?? 1)
    for (const { values, turned } of proposal.options) {
      expect(turned.length).toBeGreaterThan(0)
      expect(turned.every(({ from, to }) => from !== to)).toBe(true)
      expect(values.filter((value, at) => value !== start[at])).toEqual(turned.map(({ to }) => to))
    }
  })

  test('reach every value of a long range of numbers, from its lowest one', () => {
    const knobs: readonly Knob[] = [{ type: 'number', name: 'n', min: 0, max: 400, step: 1 }]
    const all = Array.from({ length: 401 }, (_, at) => [at])
    const [current = [0], ...others] = all
    const opened = startSearch(knobs, current, randomFrom(1))
    const tried = others.filter(([value = 0]) => ![257, 398, 400].includes(value))
    const proposal = proposeOptions(knobs, opened, { current, tried }, randomFrom(1))
    const values = proposal.options.map((option) => Number(option.values[0]))
    expect(values.toSorted((a, b) => a - b)).toEqual([257, 398, 400])
  })

  test('are never an edit that was tried, until there are none left, and then it says so', () => {
    fc.assert(
      fc.property(someKnobs, fc.nat(), (knobs, seed) => {
        fc.pre(countConfigurations(knobs) <= 60)
        const random = randomFrom(seed)
        const current = drawConfiguration(knobs, random)
        const opened = startSearch(knobs, current, random)
        const tried: Configuration[] = []
        const known = new Set([keyOf(current)])
        for (;;) {
          const proposal = proposeOptions(knobs, opened, { current, tried }, random)
          for (const { values } of proposal.options) {
            expect(known.has(keyOf(values))).toBe(false)
            known.add(keyOf(values))
            tried.push(values)
          }
          if (proposal.type === 'exhausted') break
          expect(proposal.options).toHaveLength(3)
        }
        expect(known.size).toBe(countConfigurations(knobs))
      }),
      { numRuns: 25 },
    )
  })
})
