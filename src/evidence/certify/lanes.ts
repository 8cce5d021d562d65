/** The checkouts in which the control runs of one certification take place. */

import type { CertificationCheckout, OpenCheck, Overlay } from '../parts.ts'
import type { ExaminationContext } from './certification.ts'
import type { ClassifiedWork } from './classify-work.ts'
import { createCheckContext } from './create-check-context.ts'
import type { Observations } from './observations.ts'
import type { CheckRun, RunRequest } from './run-checks.ts'

export type Lane = Omit<RunRequest, 'tree'>

export interface ControlContext {
  readonly certifying: ExaminationContext
  readonly run: Lane
  /** Another checkout, at another path. */
  readonly second?: CertificationCheckout
  readonly observations: Observations
  readonly classified: ClassifiedWork
  /** The candidate with everything but the work as on the base. */
  readonly over: Overlay
}

/** How long one run of all checks took on the candidate. */
const durationMs = ({ own }: Observations): number =>
  own.reduce((sum, { startedAtMs, endedAtMs }) => sum + endedAtMs - startedAtMs, 0)

export function note({ certifying, observations }: ControlContext, text: string): void {
  const seconds = Math.max(1, Math.round(durationMs(observations) / 1000))
  certifying.context.note?.(`${text} (one run takes about ${seconds} s)`)
}

/** The checkouts in which checks can run in parallel. */
export function listLanes(all: ControlContext): readonly Lane[] {
  const { run, second } = all
  return second === undefined ? [run] : [run, otherLane(all)]
}

/** The other checkout, if there is one. */
export const otherLane = ({ certifying, run, second }: ControlContext): Lane =>
  second === undefined
    ? run
    : { ...run, place: second, context: createCheckContext(certifying, second) }

/** The check, preceded by the checks whose outputs it needs. */
export function withProducers(own: readonly CheckRun[], check: OpenCheck): readonly OpenCheck[] {
  const checks = own.map((ran) => ran.check)
  const before = checks.slice(0, checks.indexOf(check))
  return [...before.filter(({ outputs }) => outputs.length > 0), check]
}
