/** One line for people about one event. */

import type { Ending, RunEvent } from './event.ts'
import { describeOutcome } from './outcome.ts'

export function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run-created':
      return `created, loop ${event.loop}${event.origin === undefined ? '' : ` (${event.origin.type})`}`
    case 'run-started':
      return 'started'
    case 'run-suspended':
      return `suspended: ${event.reason}`
    case 'run-ended':
      return describeOutcome(event.outcome)
    case 'iteration-started':
      return `iteration ${event.iteration}${event.again === true ? ', again' : ''}`
    case 'iteration-restarted':
      return `iteration ${event.iteration} starts anew: ${event.reason}`
    case 'iteration-ended':
      return `iteration ${event.iteration}: ${describeEnding(event.ending)}`
    case 'step-started':
      return `${event.step} …${event.question === undefined ? '' : ` ${event.question.text}`}`
    case 'step-finished':
      return event.evidence === undefined
        ? `${event.step} done`
        : `${event.step} ${event.evidence.status}`
    case 'step-failed': {
      const again = event.retryAtMs === undefined ? '' : ', to be tried again'
      return `${event.step} failed: ${event.fault.code}: ${event.fault.message}${again}`
    }
    case 'step-interrupted':
      return `${event.step} interrupted`
    case 'budget-reserved':
      return `${event.step} reserves ${event.worst.tokens} tokens, ${event.worst.costMicros} µ$`
    case 'budget-settled':
      return `settled at ${event.spent.tokens} tokens, ${event.spent.costMicros} µ$`
    case 'decision-applied':
      return `${event.by}: ${event.decision.type}`
    case 'run-rewound':
      return `back to the checkpoint after iteration ${event.toIteration}`
    case 'workspace-changed':
      return `files: ${event.why}`
    case 'warning':
      return `warning: ${event.message}`
  }
}

export function describeEnding(ending: Ending): string {
  switch (ending.type) {
    case 'continue':
      return 'goes on'
    case 'complete':
      return `met: ${ending.met.condition}`
    case 'rate-limited':
      return `rate limited until ${new Date(ending.retryAtMs).toISOString()}`
    case 'interrupted':
      return `interrupted: ${ending.reason}`
    case 'error':
      return `error: ${ending.fault.code}: ${ending.fault.message}`
  }
}
