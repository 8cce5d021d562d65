/** Checks whose answers carry how often they err, where that was measured. */

import type { Check } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { ErrorRates } from '../../loop/index.ts'
import { mayBeCalibrated, readCalibration } from './calibration-store.ts'

export interface CalibratedIn {
  /** The folder of the record. */
  readonly record: string
  readonly loop: string
  /** Dear: programs are read. Undefined: nothing is known of it. */
  readonly describe: (
    name: string,
  ) => Promise<Pick<OpenCheck, 'kind' | 'describes' | 'toolDigest'> | undefined>
}

export const calibratedChecks = (
  checks: Readonly<Record<string, Check>>,
  place: CalibratedIn,
): Readonly<Record<string, Check>> =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [name, calibrated(name, check, place)]),
  )

function calibrated(name: string, check: Check, place: CalibratedIn): Check {
  let known: Promise<ErrorRates | undefined> | undefined
  const run: Check = async (context) => {
    const result = await check(context)
    known ??= ratesOf(name, place)
    const calibration = await known
    return calibration === undefined ? result : { ...result, calibration }
  }
  // What the engine asks of a check besides, such as its fingerprint.
  return Object.assign(run, check)
}

async function ratesOf(
  name: string,
  { record, loop, describe }: CalibratedIn,
): Promise<ErrorRates | undefined> {
  if (!(await mayBeCalibrated(record, loop, name))) return undefined
  const described = await describe(name)
  if (described === undefined) return undefined
  const found = await readCalibration(record, loop, { name, ...described })
  if (found === undefined) return undefined
  const { falseAccepts, falseRejects } = found
  return { falseAccepts, falseRejects }
}
