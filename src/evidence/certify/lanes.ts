/** Where the control runs of one certification take place. */

import type { CertifyingPlace, OpenCheck, Overlay } from '../parts.ts'
import type { Examining } from './certifier.ts'
import { checkContextOf } from './check-context.ts'
import type { ClassifiedWork } from './classify-work.ts'
import type { Ran, RunRequest } from './run-checks.ts'
import type { Seen } from './seen.ts'

export type Lane = Omit<RunRequest, 'tree'>

export interface Controlling {
  readonly certifying: Examining
  readonly run: Lane
  /** Another checkout, at another path. */
  readonly second?: CertifyingPlace
  readonly seen: Seen
  readonly classified: ClassifiedWork
  /** The candidate with everything but the work as on the base. */
  readonly over: Overlay
}

/** What one run of all checks took on the candidate. */
const durationMs = ({ own }: Seen): number =>
  own.reduce((sum, { startedAtMs, endedAtMs }) => sum + endedAtMs - startedAtMs, 0)

export function note({ certifying, seen }: Controlling, text: string): void {
  const seconds = Math.max(1, Math.round(durationMs(seen) / 1000))
  certifying.context.note?.(`${text} (one run takes about ${seconds} s)`)
}

/** Checks that are quicker than this are run one after the other. */
const besideMs = 500

/** Places in which checks can run side by side. */
export function lanesOf(all: Controlling): readonly Lane[] {
  const { run, second, seen } = all
  return second === undefined || durationMs(seen) < besideMs ? [run] : [run, otherLane(all)]
}

/** In the other checkout, where there is one. */
export const otherLane = ({ certifying, run, second }: Controlling): Lane =>
  second === undefined
    ? run
    : { ...run, place: second, context: checkContextOf(certifying, second) }

/** With the checks before it whose outputs it needs. */
export function withMakers(own: readonly Ran[], check: OpenCheck): readonly OpenCheck[] {
  const checks = own.map((ran) => ran.check)
  const before = checks.slice(0, checks.indexOf(check))
  return [...before.filter(({ outputs }) => outputs.length > 0), check]
}
