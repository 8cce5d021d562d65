// A part of `npm run proof -- --only gateway`, through the same code, and a planted failure that it
// must find.

import { expect, test } from 'vitest'
import { runSchedules } from '../../build/proof/gateway-budget.js'
import { cutEverywhere } from '../../build/proof/gateway-faults.js'

const note = (): void => undefined

test('a stream that is cut at any event boundary is charged what is known, never less', async () => {
  const { cuts, exact, problems, belowTokens } = await cutEverywhere({ scale: 0.25, note })
  expect(problems).toEqual([])
  expect(belowTokens).toBe(0)
  expect(cuts).toBeGreaterThan(120)
  expect(exact).toBeGreaterThan(0)
})

test('E4: parallel children, retries and crashes spend no more than the cap and one call', async () => {
  const { held, all, kills, aborts, refused, problems } = await runSchedules({ scale: 0.016, note })
  expect(problems).toEqual([])
  expect(held).toBe(all)
  expect(kills).toBeGreaterThan(0)
  expect(aborts).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})

test('E4: charging after spending is detected', async () => {
  const { problems } = await runSchedules({ scale: 0.016, note, sabotage: 'late' })
  expect(problems).not.toEqual([])
})
