import { expect, test } from 'vitest'
import { randomFrom, shuffle } from './random.ts'

test('a seed gives its order again, another seed another one, and nothing is lost', () => {
  const list = Array.from({ length: 30 }, (_, at) => at)
  const once = shuffle(list, randomFrom(7))
  expect(shuffle(list, randomFrom(7))).toEqual(once)
  expect(shuffle(list, randomFrom(8))).not.toEqual(once)
  expect(once.toSorted((a, b) => a - b)).toEqual(list)
})

test('every place is as likely as every other', () => {
  const random = randomFrom(1)
  const counts = [0, 0, 0]
  for (let round = 0; round < 3000; round++) {
    const at = shuffle(['x', 'y', 'z'], random).indexOf('x')
    counts[at] = (counts[at] ?? 0) + 1
  }
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(110)
})
