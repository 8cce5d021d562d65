/** How a decision changes the state. Answers change nothing here: they end their step. */

import { guidanceMax } from './authority/guidance.ts'
import { changeLimits } from './authority/limits.ts'
import { defined } from './defined.ts'
import type { DecisionApplied } from './event.ts'
import type { RunState } from './state.ts'

export function evolveDecision(state: RunState, event: DecisionApplied): RunState {
  const { by, decision } = event
  switch (decision.type) {
    case 'pause':
      return { ...state, pauseRequested: true }
    case 'resume':
      return { ...state, pauseRequested: false }
    case 'stop':
      return { ...state, stop: { by, reason: decision.reason } }
    case 'cancel':
      return { ...state, cancel: { by, reason: decision.reason } }
    case 'change-limits':
      return { ...state, limits: changeLimits(state.limits, decision.limits), ruling: undefined }
    case 'tell': {
      const { text, at } = decision
      const told = { id: event.id, by, atMs: state.atMs, text, ...defined({ at }) }
      return { ...state, guidance: [...state.guidance, told].slice(-guidanceMax) }
    }
    case 'answer':
      return state
    default:
      // Written by a newer version, or by a program that did not validate it: ignored.
      return state
  }
}
