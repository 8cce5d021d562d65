/** What certifying a fix costs, in multiples of its check, with every test runner; one story at a time. */

import { atMost, type Suite } from './report.ts'
import { tellStories, withTestRunners } from './stories.ts'

const measured = ['node:test', 'vitest', 'jest', 'mocha', 'pytest', 'cargo']
const timesMax = 5

export const certificationCost: Suite = {
  area: 'evidence',
  title: 'certification, in multiples of one check',
  share: 1,
  async run({ note }) {
    const { told, failures } = await withTestRunners((installed) =>
      tellStories(1, installed, { only: 'fixes the bug \\(' }),
    )
    for (const { name, message } of failures) note(`  ${name}: ${message}`)
    return measured.flatMap((runner) => {
      const one = told.find((story) => story.runner === runner)
      if (one === undefined) throw new Error(`There is no story with ${runner}.`)
      const detail = `${one.certifyMs} ms for a check of ${one.checkMs} ms`
      return [atMost(`evidence.cost-${runner}`, one.certifyMs / one.checkMs, timesMax, 'x', detail)]
    })
  },
}
