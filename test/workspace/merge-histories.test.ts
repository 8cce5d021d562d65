// A small part of `npm run proof -- --only workspace`, through the same code.

import { expect, test } from 'vitest'
import { runMergeHistories } from '../../build/proof/merge-histories.js'

test('histories of the merge queue with kills: only certified files, nothing twice, nothing lost', async () => {
  const note = (): void => undefined
  const { merged, findings } = await runMergeHistories({ scale: 0.01, note })
  expect(findings).toEqual([])
  expect(merged).toBeGreaterThanOrEqual(2)
}, 240_000)
