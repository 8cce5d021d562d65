/** Decisions come from other programs, so their type is checked before they are stored. */

import { type Decision, LoopError } from '../../loop/index.ts'

const types: Readonly<Record<Decision['type'], true>> = {
  pause: true,
  resume: true,
  stop: true,
  cancel: true,
  'change-limits': true,
  tell: true,
  answer: true,
}

/** Throws `bad-request`. */
export function requireDecision(decision: Decision): void {
  if (Object.hasOwn(types, decision.type)) return
  const known = Object.keys(types).join(', ')
  throw new LoopError('bad-request', `"${decision.type}" is not a decision. Use one of: ${known}.`)
}
