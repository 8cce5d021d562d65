/** Checks of a loop file once their commands are known. */

import type { ConditionCommand } from '../../evidence/index.ts'
import type { CheckSettings, ConditionCheckSettings } from '../../protocol/index.ts'

export type ResolvedCheck = Exclude<CheckSettings, ConditionCheckSettings> | StandardCheck

/** A standard condition with the commands to run in sequence. All must pass. */
export interface StandardCheck extends Omit<ConditionCheckSettings, 'type'> {
  readonly type: 'standard'
  readonly commands: readonly ConditionCommand[]
}

export type ResolvedChecks = Readonly<Record<string, ResolvedCheck>>
