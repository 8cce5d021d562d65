// Loop files that were spoilt in 200 ways (in 5,000 by `npm run proof`), and the proof that the proof can fail. A failure names its
// seed: `npm run proof -- --only host --seed <n>` makes that file again.

import { describe, expect, test } from 'vitest'
import { fuzzLoopFiles } from '../build/proof/loop-file-fuzz.js'
import { loopFileSeeds } from '../build/proof/loop-file-seeds.js'
import { parseLoopFile } from '../src/definition/loop-file/index.ts'

const nowMs = Date.parse('2026-11-15T12:00:00Z')

describe('loop files', () => {
  test.each(loopFileSeeds.map((text, index) => [index, text] as const))(
    'of every form can be used (%i)',
    async (_index, text) => {
      await expect(parseLoopFile(text, 'seed.yaml', { nowMs })).resolves.toBeDefined()
    },
  )

  test('that were spoilt are refused with a line and a reason, or mean one thing', async () => {
    const { files, accepted, failures } = await fuzzLoopFiles({ scale: 0.04 })
    expect(failures).toEqual([])
    expect(files).toBe(200)
    // Most changes matter; some, such as those of a text, do not.
    expect(accepted).toBeGreaterThan(files / 50)
    expect(accepted).toBeLessThan(files / 2)
  })

  test.each([
    ['throws', 'it threw TypeError'],
    ['never the same', 'it means something else when it is read again'],
    ['no place', 'no line, column and reason'],
  ] as const)('are seen to fail with a reader that is broken: %s', async (sabotage, problem) => {
    const { failures } = await fuzzLoopFiles({ scale: 0.05, sabotage })
    expect(failures.length).toBeGreaterThan(0)
    expect(failures[0]).toMatch(/^seed \d+: /)
    expect(failures[0]).toContain(problem)
  })
})
