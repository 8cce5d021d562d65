import { expect, test } from 'vitest'
import { renderList } from './runs-view.ts'

test('that none was found is not that there is none', () => {
  const plain = { live: false, width: () => 80 }
  expect(renderList([], 0, plain)).toBe('No runs yet.')
  expect(renderList([], 0, plain, true)).toContain('List all: loopctl list')
})
