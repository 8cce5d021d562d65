/** Adds the measured error rates of checks to their results. */

import type { Check } from '../../engine/index.ts'
import type { OpenCheck } from '../../evidence/index.ts'
import type { ErrorRates } from '../../loop/index.ts'
import { mayBeCalibrated, readCalibration } from './calibration-store.ts'

export interface CalibrationContext {
  /** The state folder. */
  readonly record: string
  readonly loop: string
  /** Expensive, because it reads programs. Undefined: unknown. */
  readonly describe: (
    name: string,
  ) => Promise<Pick<OpenCheck, 'kind' | 'command' | 'toolDigest'> | undefined>
}

export const calibratedChecks = (
  checks: Readonly<Record<string, Check>>,
  place: CalibrationContext,
): Readonly<Record<string, Check>> =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [name, withCalibration(name, check, place)]),
  )

function withCalibration(name: string, check: Check, place: CalibrationContext): Check {
  let known: Promise<ErrorRates | undefined> | undefined
  const run: Check = async (context) => {
    const result = await check(context)
    known ??= findErrorRates(name, place)
    const calibration = await known
    return calibration === undefined ? result : { ...result, calibration }
  }
  // Keeps other properties of the check, such as its fingerprint.
  return Object.assign(run, check)
}

async function findErrorRates(
  name: string,
  { record, loop, describe }: CalibrationContext,
): Promise<ErrorRates | undefined> {
  if (!(await mayBeCalibrated(record, loop, name))) return undefined
  const described = await describe(name)
  if (described === undefined) return undefined
  const found = await readCalibration(record, loop, { name, ...described })
  if (found === undefined) return undefined
  const { falseAccepts, falseRejects } = found
  return { falseAccepts, falseRejects }
}
