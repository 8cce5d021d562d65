/** Delivers and removes guidance by the events of the run: see `guidance.ts`. */

import type { RunEvent } from '../event.ts'
import type { OpenGuidance } from './guidance.ts'

/** The open guidance after an event. */
export function followGuidance(
  guidance: readonly OpenGuidance[],
  event: RunEvent,
): readonly OpenGuidance[] {
  switch (event.type) {
    case 'guidance-delivered': {
      const { ids, iteration, step } = event
      const delivered = { iteration, ...(step === undefined ? {} : { step }) }
      return guidance.map((one) => (ids.includes(one.id) ? { ...one, delivered } : one))
    }
    case 'step-started':
    case 'step-failed':
      // A step that is repeated gets it again.
      return guidance.map((one) => (one.delivered?.step === event.step ? wait(one) : one))
    case 'step-finished':
      return guidance.filter(({ delivered }) => delivered?.step !== event.step)
    case 'iteration-ended':
      switch (event.ending.type) {
        case 'continue':
        case 'complete':
          return guidance.filter((one) => !isContext(one)).map(wait)
        case 'error':
          return guidance.map(wait)
        default:
          return guidance
      }
    case 'iteration-restarted':
    case 'run-rewound':
      return guidance.map(wait)
    default:
      return guidance
  }
}

const isContext = ({ delivered }: OpenGuidance): boolean =>
  delivered !== undefined && delivered.step === undefined

function wait(one: OpenGuidance): OpenGuidance {
  if (one.delivered === undefined) return one
  const { delivered: _delivered, ...waiting } = one
  return waiting
}
