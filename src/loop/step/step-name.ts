/**
 * Names and ids of steps: which names are valid, and the only code that parses an id. The kind and role
 * of a step come from its event (`readStep`), not from here.
 */

import type { StepId } from '../ids.ts'
import { type StepKind, stepKinds } from './step-kind.ts'

const charsMax = 200

/** Why a name is invalid; undefined if it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > charsMax) return `it is longer than ${charsMax} characters`
  if (/[/#\p{Cc}]/u.test(name)) return 'it contains "/", "#" or a control character'
  return undefined
}

/** The kind that prefixes the name, for callers that have only the id. */
export function parseStepKind(step: StepId): StepKind {
  const name = ownPart(step)
  const prefix = name.slice(0, Math.max(0, name.indexOf(':')))
  return stepKinds.find((kind) => kind === prefix) ?? 'step'
}

/** The parts of an id such as `0.left/agent:maker#2`. */
export function parseStepId(step: StepId): {
  /** The branches of `parallel` that contain it: empty, or ending in `/`. */
  readonly path: string
  readonly kind: StepKind
  readonly name: string
  readonly occurrence: number
} {
  const own = ownPart(step)
  const kind = parseStepKind(step)
  const [name = '', occurrence = '1'] = own.slice(kind === 'step' ? 0 : kind.length + 1).split('#')
  const path = step.slice(0, step.length - own.length)
  return { path, kind, name, occurrence: Number(occurrence) }
}

const ownPart = (step: StepId): string => step.slice(step.lastIndexOf('/') + 1)
