/** Names of steps: what they may look like, and what they say about the kind of step. */

import { type StepKind, stepKinds } from './event.ts'
import type { StepId } from './ids.ts'

const charsMax = 200

/** Why a name cannot be used, if it cannot. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > charsMax) return `it is longer than ${charsMax} characters`
  if (/[/#\p{Cc}]/u.test(name)) return 'it contains "/", "#" or a control character'
  return undefined
}

/** The kind that the engine put before the name. */
export function kindOf(step: StepId): StepKind {
  const name = step.slice(step.lastIndexOf('/') + 1)
  const prefix = name.slice(0, Math.max(0, name.indexOf(':')))
  return stepKinds.find((kind) => kind === prefix) ?? 'step'
}
