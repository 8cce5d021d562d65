import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideRace, type RaceOption } from './race.ts'
import type { SuiteScores } from './scores.ts'

const scores = (passing: number, cases = 10): SuiteScores =>
  Array.from({ length: cases }, (_, at) => ({ id: `case-${at}`, scores: [at < passing ? 1 : 0] }))

const before = Array.from({ length: 30 }, (_, at) => ({
  id: `case-${at}`,
  scores: [at % 2, 1 - (at % 2), at % 2],
}))

const option = (id: string, passing: number): RaceOption => ({ id, after: scores(passing) })

test('the worst option is dropped, and then the worse of two', () => {
  const options = [option('a', 5), option('b', 7), option('c', 6)]
  const first = decideRace('first-third', { cases: 30, before, options })
  expect(first).toMatchObject({
    going: ['b', 'c'],
    dropped: [{ id: 'a', reason: 'lost-the-race' }],
  })
  const left = options.filter(({ id }) => first.going.includes(id))
  const second = decideRace('second-third', { cases: 30, before, options: left })
  expect(second.going).toEqual(['b'])
})

test('among equals the recommended option, which is the first, stays longest', () => {
  const options = ['recommended', 'other', 'third'].map((id) => option(id, 5))
  expect(decideRace('first-third', { cases: 30, before, options }).going).toEqual([
    'recommended',
    'other',
  ])
})

test('options that are clearly worse than the incumbent are dropped, all of them if need be', () => {
  const options = [option('a', 0), option('b', 0), option('c', 5)]
  const { going, dropped } = decideRace('first-third', { cases: 30, before, options })
  expect(going).toEqual(['c'])
  expect(dropped.map(({ reason }) => reason)).toEqual(['clearly-worse', 'clearly-worse'])
  const none = decideRace('first-third', { cases: 30, before, options: options.slice(0, 2) })
  expect(none.going).toEqual([])
})

test('an option without any score loses, and an option that runs alone is never dropped for it', () => {
  const options = [{ id: 'unscored', after: [] }, option('a', 5), option('b', 5)]
  expect(decideRace('first-third', { cases: 30, before, options }).going).toEqual(['a', 'b'])
  const alone = decideRace('second-third', { cases: 30, before, options: [option('a', 5)] })
  expect(alone.going).toEqual(['a'])
})

test('each round drops at least one of several options, and names each option once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 10 }), { minLength: 2, maxLength: 3 }), (passing) => {
      const options = passing.map((count, at) => option(String(at), count))
      const { going, dropped } = decideRace('first-third', { cases: 30, before, options })
      expect(going.length).toBeLessThan(options.length)
      const named = [...going, ...dropped.map(({ id }) => id)].toSorted()
      expect(named).toEqual(options.map(({ id }) => id))
    }),
  )
})
