/** Standard conditions become the usual commands of the project, as its files are when the run begins. */

import { LoopError } from '../../loop/index.ts'
import type { CheckSettings } from '../../protocol/index.ts'
import type { ResolvedCheck, ResolvedChecks } from './open-checks.ts'

export async function resolveChecks(
  checks: Readonly<Record<string, CheckSettings>>,
): Promise<ResolvedChecks> {
  return Object.fromEntries(
    Object.entries(checks).map(([name, check]): [string, ResolvedCheck] => {
      if (check.type !== 'condition') return [name, check]
      const message = `The check ${name} is a standard condition. Write it as a command: { run: … }.`
      throw new LoopError('not-available', message)
    }),
  )
}
