/** How a decision changes the state. */

import { type Guidance, guidanceMax, type OpenGuidance } from './authority/guidance.ts'
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
      return addGuidance(state, event, { text, ...defined({ at }) })
    }
    case 'answer':
      // Their choice ends the step that asked; what they say beyond it is for the next agent.
      return decision.text === undefined
        ? state
        : addGuidance(state, event, { text: decision.text })
    default:
      // Written by a newer version, or by a program that did not validate it: ignored.
      return state
  }
}

/** A comment on a line is about the files as they are now, if it does not say otherwise. */
function addGuidance(
  state: RunState,
  { id, by }: DecisionApplied,
  { text, at }: Pick<Guidance, 'text' | 'at'>,
): RunState {
  const { tree, atMs, seq } = state
  const place = at === undefined ? {} : { at: { ...defined({ tree }), ...at } }
  const told: OpenGuidance = { id, by, atMs, seq, text, ...place }
  return { ...state, guidance: [...state.guidance, told].slice(-guidanceMax) }
}
