// S14, S15, S17 against the real daemon; `npm run proof -- --only daemon` prints the figures.

import { expect, test } from 'vitest'
import { proveArtifacts } from '../../build/proof/daemon-artifacts.js'

test('clients cannot read outside the files of runs, which contain no secrets', async () => {
  const { traps, sprung, paths, ledOut, found } = await proveArtifacts(() => undefined)
  expect(traps).toBeGreaterThan(10)
  expect(sprung).toEqual([])
  expect(paths).toBeGreaterThanOrEqual(100)
  expect(ledOut).toEqual([])
  expect(found).toEqual([])
})
