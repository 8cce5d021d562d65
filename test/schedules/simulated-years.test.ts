/**
 * Schedules over simulated time: changes of the clock in three zones, clocks that jump, a daemon that is stopped, and one
 * that is killed at any point of any tick. What was started is exactly what an independent model says.
 */

import { describe, expect, test } from 'vitest'
import { share } from '../share.ts'
import { expectStory } from './schedule-model.ts'
import { simulate } from './simulate.ts'
import { cadences, dueBy, makeStory, zones } from './stories.ts'

const fromMs = Date.parse('2026-01-05T11:17:00Z')
/** Two years; in `npm test` from January to April and a little, which has a change in each zone. */
const days = share(730, 95)
const seeds = share(4, 1)

describe.each(zones)('%s', (timeZone) => {
  test.each(cadences)('$cadence starts what it should, once', async (cadenced) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const story = makeStory({ seed, timeZone, cadence: cadenced.cadence, fromMs, days })
      const told = await simulate(story)
      const expected = expectStory(story, dueBy(cadenced, story))
      expect({ seed, ...told }).toEqual({ seed, ...expected })
    }
  })
})
