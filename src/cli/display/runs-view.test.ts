import { expect, test } from 'vitest'
import { renderList } from './runs-view.ts'

test('no matching runs is different from no runs at all', () => {
  const plain = { live: false, width: () => 80 }
  expect(renderList([], 0, plain)).toBe('No runs yet.')
  expect(renderList([], 0, plain, true)).toContain('List all: loopctl list')
})
