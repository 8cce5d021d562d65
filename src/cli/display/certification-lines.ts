/** What came of certifying, and what is special about the answer of a check, in a line each. */

import { type CheckResult, describeRates, type Json, type Refusal } from '../../loop/index.ts'
import { isObject } from './step-values.ts'

export type Certified =
  | { readonly type: 'certified'; readonly certificate: string }
  | { readonly type: 'refused'; readonly refusals: readonly Pick<Refusal, 'code' | 'message'>[] }
  | { readonly type: 'asks' }

/** Told by its shape, as the results of all steps are. */
export function certificationOf(value: Json | undefined): Certified | undefined {
  if (!isObject(value)) return undefined
  const { type, certificate, refusals } = value
  if (type === 'certified' && typeof certificate === 'string') return { type, certificate }
  if (type === 'asks') return { type }
  if (type !== 'refused' || !Array.isArray(refusals)) return undefined
  return { type, refusals: refusals.flatMap(refusalOf) }
}

function refusalOf(value: Json): readonly Pick<Refusal, 'code' | 'message'>[] {
  if (!isObject(value)) return []
  const { code, message } = value
  return typeof code === 'string' && typeof message === 'string' ? [{ code, message }] : []
}

const idCharsMax = 16

/** Enough to be found by. */
export const shortId = (certificate: string): string => certificate.slice(0, idCharsMax)

/** ` (12 passed, 1 skipped; flaky; it failed before the run began, too)`; empty: nothing is special. */
export function checkRemarks(check: Partial<CheckResult>): string {
  const { counts, flaky, existing, allowed, reused, calibration } = check
  const remarks = [
    ...(counts === undefined ? [] : [countsText(counts)]),
    ...(reused === true ? ['as before, on the same files'] : []),
    ...(flaky === true ? ['flaky: it has answered otherwise on the same files'] : []),
    ...(existing === true
      ? [`it failed before the run began, too${allowed === true ? ', and may' : ''}`]
      : []),
    ...(calibration === undefined ? [] : [describeRates(calibration)]),
  ]
  return remarks.length === 0 ? '' : ` (${remarks.join('; ')})`
}

function countsText({ passed, failed, skipped }: NonNullable<CheckResult['counts']>): string {
  return [
    `${passed} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ].join(', ')
}
