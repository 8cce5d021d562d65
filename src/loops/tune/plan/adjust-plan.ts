/** A change of a plan in the words of a person: `focus = a.txt, b.txt`. Pure. */

import type { Plan } from './plan.ts'

export const planChanges: string =
  'problem = <text>; hypothesis = <text> -> <prediction>; focus = <case>, <case>; guards = <case>; exclude = <case>: <reason>; target = <number> %'

/** A text: what is wrong. */
export function adjustPlan(plan: Plan, change: string): Plan | string {
  const [, name = '', value = ''] = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(change) ?? []
  const values = value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  switch (name) {
    case 'problem':
      return { ...plan, problem: value }
    case 'focus':
      return { ...plan, focus: values }
    case 'guards':
      return { ...plan, guards: values }
    case 'exclude': {
      const [, id, reason] = /^(.+?):\s*(.+)$/s.exec(value) ?? []
      if (id === undefined || reason === undefined) return 'write it as exclude = <case>: <reason>'
      return { ...plan, exclusions: [...plan.exclusions, { id: id.trim(), reason }] }
    }
    case 'hypothesis': {
      const [statement = '', prediction = ''] = value.split('->').map((one) => one.trim())
      if (statement === '' || prediction === '') {
        return 'write it as hypothesis = <text> -> <prediction>'
      }
      const rating = 'high'
      const added = {
        statement,
        prediction,
        likelihood: rating,
        testability: 'medium',
        impact: rating,
      } as const
      const shifted = plan.experiments.map((one) => ({ ...one, hypothesis: one.hypothesis + 1 }))
      return { ...plan, hypotheses: [added, ...plan.hypotheses], experiments: shifted }
    }
    case 'target': {
      const number = Number(/^(\d+(?:\.\d+)?)\s*%?$/.exec(value)?.[1])
      if (!(number > 0 && number <= 100)) return 'write it as target = 90 %'
      return { ...plan, criteria: { ...plan.criteria, target: number / 100 } }
    }
    default:
      return `write it as one of: ${planChanges}`
  }
}
