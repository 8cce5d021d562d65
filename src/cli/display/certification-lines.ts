/** The result of a certification, and remarks about the result of a check, in one line each. */

import { type CheckResult, describeRates, type Json, type Refusal } from '../../loop/index.ts'
import { isObject } from './step-values.ts'

export type Certified =
  | { readonly type: 'certified'; readonly certificate: string }
  | { readonly type: 'refused'; readonly refusals: readonly Pick<Refusal, 'code' | 'message'>[] }
  | { readonly type: 'asks' }

/** Recognized by its shape, as are the results of all steps. */
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

/** Long enough to identify it. */
export const shortId = (certificate: string): string => certificate.slice(0, idCharsMax)

/** ` (12 passed, 1 skipped; flaky; also failed before the run)`; empty if there is nothing to remark. */
export function checkRemarks(check: Partial<CheckResult>): string {
  const { counts, flaky, existing, allowed, reused, calibration } = check
  const remarks = [
    ...(counts === undefined ? [] : [countsText(counts)]),
    ...(reused === true ? ['cached: same files'] : []),
    ...(flaky === true ? ['flaky: had another result on the same files'] : []),
    ...(existing === true
      ? [`also failed before the run${allowed === true ? ', which is allowed' : ''}`]
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
