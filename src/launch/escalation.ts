/** When a run of a loop file asks a person because it makes no progress or changes too much. */

import type { Escalation } from '../engine/index.ts'
import { compileGlob } from '../evidence/seals/glob.ts'
import { defaultThresholds, defined, type EscalationThresholds } from '../loop/index.ts'
import type { LoopFile } from '../protocol/index.ts'
import type { OpenContext } from './open-context.ts'

/** Undefined: it ends instead, so that a script does not wait for an answer. */
export function escalationOf(
  { escalate, scope }: Pick<LoopFile, 'escalate' | 'scope'>,
  { attended, isHeld, thresholds: ofType }: EscalationContext,
): Escalation | undefined {
  const isDefault = attended !== true && isHeld === true && ofType !== false
  const chosen = escalate ?? (isDefault ? {} : false)
  if (chosen === false) return undefined
  const { deadlineMs, ...thresholds } = chosen
  const outsideScope = scope.length === 0 ? undefined : createOutsideScope(scope)
  return {
    thresholds: { ...defaultThresholds, ...(ofType === false ? {} : ofType), ...thresholds },
    when: 'triggered',
    ...defined({ deadlineMs, outsideScope }),
  }
}

export interface EscalationContext extends Pick<OpenContext, 'attended' | 'isHeld'> {
  /** Those of the loop type. False: it asks only if the file says so. */
  readonly thresholds?: Partial<EscalationThresholds> | false
}

/** By the globs of the loop file alone; a derived scope is for certification. */
function createOutsideScope(scope: readonly string[]): NonNullable<Escalation['outsideScope']> {
  const allowed = scope.filter((glob) => !glob.startsWith('!')).map((glob) => compileGlob(glob))
  const excluded = scope
    .filter((glob) => glob.startsWith('!'))
    .map((glob) => compileGlob(glob.slice(1)))
  const matches = (globs: readonly RegExp[], path: string): boolean =>
    globs.some((glob) => glob.test(path))
  return (paths) =>
    paths.filter(
      (path) => (allowed.length > 0 && !matches(allowed, path)) || matches(excluded, path),
    )
}
