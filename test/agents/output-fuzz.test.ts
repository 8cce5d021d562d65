// A small part of `npm run proof -- --only agents`, through the same code, and planted failures
// that it must find.

import { describe, expect, test } from 'vitest'
import { fuzzAgentOutput } from '../../build/proof/agent-output-fuzz.js'

describe('whatever an agent program prints', () => {
  test('there is a report that is true, short and plain', async () => {
    const { failures, ends } = await fuzzAgentOutput({ cases: 600 })
    expect(failures).toEqual([])
    expect(ends['claimed']).toBeGreaterThan(0)
  })

  test('even if a line has 50 MB', async () => {
    const { failures } = await fuzzAgentOutput({ cases: 1, first: 5000 })
    expect(failures).toEqual([])
  })

  test.each(['throws', 'believes', 'shows all'] as const)(
    'a broken reader is detected: it %s',
    async (sabotage) => {
      const { failures } = await fuzzAgentOutput({ cases: 60, sabotage })
      expect(failures).not.toEqual([])
    },
  )
})
