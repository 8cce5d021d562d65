/** How a run ended, in a sentence. */

import type { RunDetail } from '../../../client/browser.ts'

type Outcome = NonNullable<RunDetail['state']['outcome']>

export function describeOutcomeShort(outcome: Outcome): string {
  switch (outcome.type) {
    case 'completed':
      return outcome.earlier === undefined
        ? `Its condition "${outcome.condition}" is met.`
        : `Run ${outcome.earlier.name} had done this already; its certificate was verified again.`
    case 'exhausted':
      return `It reached the limit of ${outcome.limit}.`
    case 'denied':
      return `The policy does not allow the next iteration: ${outcome.reason}`
    case 'stuck':
      return `Going on would repeat what did not help: ${outcome.detail}`
    case 'stopped':
    case 'cancelled':
      return `${outcome.by} ${outcome.type} it: ${outcome.reason}`
    case 'failed':
      return outcome.fault.message.split('\n')[0] ?? outcome.fault.code
  }
}
