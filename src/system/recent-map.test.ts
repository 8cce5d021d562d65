import { expect, test } from 'vitest'
import { createRecentMap } from './recent-map.ts'

test('drops the oldest entry when there are too many', () => {
  const map = createRecentMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  expect(['a', 'b', 'c'].map(map.get)).toEqual([undefined, 2, 3])
})

test('an entry that is set again becomes the newest', () => {
  const map = createRecentMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  expect(['a', 'b', 'c'].map(map.get)).toEqual([3, undefined, 4])
})

test('an entry that is taken or deleted is gone', () => {
  const map = createRecentMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  expect(map.take('a')).toBe(1)
  map.delete('b')
  expect([map.take('a'), map.get('b')]).toEqual([undefined, undefined])
})
