/**
 * Names and ids of steps: what names may look like, and the one place that takes an id apart. What a step is
 * comes from its event (`readStep`), not from here.
 */

import type { StepId } from './ids.ts'
import { type StepKind, stepKinds } from './step-kind.ts'

const charsMax = 200

/** Why a name cannot be used, if it cannot. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > charsMax) return `it is longer than ${charsMax} characters`
  if (/[/#\p{Cc}]/u.test(name)) return 'it contains "/", "#" or a control character'
  return undefined
}

/** The kind that the engine put before the name, for those who have only the id. */
export function kindOf(step: StepId): StepKind {
  const name = ownPart(step)
  const prefix = name.slice(0, Math.max(0, name.indexOf(':')))
  return stepKinds.find((kind) => kind === prefix) ?? 'step'
}

/** `0.left/agent:maker#2` in its parts. */
export function parseStepId(step: StepId): {
  /** Of the branches of `parallel` that it is in: empty, or ending in `/`. */
  readonly path: string
  readonly kind: StepKind
  readonly name: string
  readonly occurrence: number
} {
  const own = ownPart(step)
  const kind = kindOf(step)
  const [name = '', occurrence = '1'] = own.slice(kind === 'step' ? 0 : kind.length + 1).split('#')
  const path = step.slice(0, step.length - own.length)
  return { path, kind, name, occurrence: Number(occurrence) }
}

const ownPart = (step: StepId): string => step.slice(step.lastIndexOf('/') + 1)
