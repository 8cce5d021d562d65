/** What the sealed cases say, in a sentence that claims no more than they do. */

import { plural } from '../../../loop/excerpt/plural.ts'
import type { HoldoutResult } from '../measure/holdout-seal.ts'
import { interval, percent, points } from './numbers.ts'

export function describeHoldout(holdout: HoldoutResult): string {
  switch (holdout.type) {
    case 'none':
      return 'Generalises: not known, because no case was set aside (split.holdout).'
    case 'sealed': {
      const why = {
        'nothing-kept': 'nothing was kept',
        'not-proven': 'the proof did not say "improved"',
      }
      return `Generalises: not known. The ${plural(holdout.cases, 'sealed case')} ${holdout.cases === 1 ? 'was' : 'were'} not opened, because ${why[holdout.reason]}.`
    }
    case 'no-claim': {
      const { cases, needed, reason, seen } = holdout
      const shown = seen === undefined ? '' : ` They differ by ${points(seen)}, which is no claim.`
      return reason === 'too-few-cases'
        ? `Generalises: no claim. ${plural(cases, 'sealed case')} ${cases === 1 ? 'is' : 'are'} too few, ${needed} are needed.${shown}`
        : `Generalises: no claim. Only ${plural(cases, 'sealed case')} ${cases === 1 ? 'was' : 'were'} scored on both sides, too few for a claim.${shown}`
    }
    case 'claim': {
      const { verdict, estimate, confidence, casesToDecide } = holdout
      const words = { improved: 'yes', regressed: 'no, it is worse', inconclusive: 'not shown' }
      const more =
        casesToDecide === undefined ? '' : ` About ${plural(casesToDecide, 'case')} would show it.`
      return (
        `Generalises: ${words[verdict]}. ${points(estimate.delta)} on ${plural(estimate.cases, 'sealed case')} ` +
        `(${percent(confidence)} interval ${interval(holdout.interval)}).${more}`
      )
    }
  }
}
