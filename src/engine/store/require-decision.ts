/** A decision comes from other programs: its type is checked before it is kept. */

import { type Decision, LoopError } from '../../loop/index.ts'

const types: Readonly<Record<Decision['type'], true>> = {
  pause: true,
  resume: true,
  stop: true,
  cancel: true,
  'change-limits': true,
  answer: true,
}

/** Throws `bad-request`. */
export function requireDecision(decision: Decision): void {
  if (Object.hasOwn(types, decision.type)) return
  const known = Object.keys(types).join(', ')
  throw new LoopError('bad-request', `"${decision.type}" is no decision. Say one of: ${known}.`)
}
