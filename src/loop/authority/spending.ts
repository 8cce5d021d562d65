/**
 * What a run, an iteration and each agent have spent, and which limit one more call would exceed.
 *
 * E4. A worst case is refused unless it fits into the limits of the run, of the agent and of the iteration, on top of
 *     what each of them has spent and reserved.
 */

import {
  type Amount,
  add,
  findExceededLimit,
  findReachedLimit,
  inputTokensOf,
  isZero,
  outputTokensOf,
  type Remaining,
  type SpendingLimitName,
  subtract,
  zero,
} from '../budget.ts'
import { defined } from '../defined.ts'
import type { RunFacts } from '../state.ts'
import { limitsOfAgent } from './limits.ts'

/** Spent plus reserved: what a new worst case is added to. */
export const committed = (state: Pick<RunFacts, 'reserved' | 'spent'>): Amount =>
  Object.values(state.reserved).reduce(add, state.spent)

/** The part of it that belongs to one agent. */
export const committedBy = (
  state: Pick<RunFacts, 'reserved' | 'spentByRole'>,
  role: string,
): Amount =>
  Object.values(state.reserved)
    .filter((one) => one.role === role)
    .reduce(add, ownOf(state.spentByRole, role) ?? zero)

/** What the open iteration has spent and reserved. */
export const committedInIteration = (state: RunFacts): Amount =>
  subtract(committed(state), state.spentBefore)

/** How long the open iteration has been active. */
export const iterationMs = ({ activeMs, activeMsBefore }: RunFacts): number =>
  activeMs - activeMsBefore

/** Roles come from loop files, so a role may be named like a member of every object, such as `constructor`. */
const ownOf = <T>(values: { readonly [role: string]: T }, role: string): T | undefined =>
  Object.hasOwn(values, role) ? values[role] : undefined

export const callsOf = ({ callsByRole }: Pick<RunFacts, 'callsByRole'>, role: string): number =>
  ownOf(callsByRole, role) ?? 0

/** A limit that does not allow what comes next, and whose limit it is. */
export interface Overrun {
  readonly of: 'run' | 'agent' | 'iteration'
  readonly limit: SpendingLimitName
}

/** The limit that one more worst case would exceed. A limit that ends the run takes precedence. */
export function findOverrun(
  state: RunFacts,
  worst: Amount,
  role: string | undefined,
): Overrun | undefined {
  const { limits } = state
  const limit = findExceededLimit(limits, committed(state), worst)
  if (limit !== undefined) return { of: 'run', limit }
  const own = role === undefined ? undefined : limitsOfAgent(limits, role)
  if (role !== undefined && own !== undefined) {
    const exceeded = findExceededLimit(own, committedBy(state, role), worst)
    if (exceeded !== undefined) return { of: 'agent', limit: exceeded }
  }
  if (limits.iteration === undefined) return undefined
  const inIteration = findExceededLimit(limits.iteration, committedInIteration(state), worst)
  return inIteration === undefined ? undefined : { of: 'iteration', limit: inIteration }
}

/** The limit of an agent that does not allow another call of it. */
export function findReachedAgentLimit(state: RunFacts, role: string): Overrun | undefined {
  const own = limitsOfAgent(state.limits, role)
  if (own === undefined) return undefined
  if (own.calls !== undefined && callsOf(state, role) >= own.calls) {
    return { of: 'agent', limit: 'calls' }
  }
  const limit = findReachedLimit(own, committedBy(state, role))
  return limit === undefined ? undefined : { of: 'agent', limit }
}

/** What may still be spent: by the run and its open iteration, and by one agent if it is named. */
export function remaining(state: RunFacts, role?: string): Remaining {
  const { limits } = state
  const used = committed(state)
  const { iteration = {} } = limits
  const inIteration = committedInIteration(state)
  const own = role === undefined ? undefined : limitsOfAgent(limits, role)
  const byAgent = role === undefined || own === undefined ? zero : committedBy(state, role)
  const left = (
    ...pairs: readonly (readonly [number | undefined, number])[]
  ): number | undefined => {
    const rests = pairs.flatMap(([limit, part]) => (limit === undefined ? [] : [limit - part]))
    return rests.length === 0 ? undefined : Math.max(0, Math.min(...rests))
  }
  return {
    iterations: Math.max(0, limits.iterations - state.iteration),
    tokens:
      left(
        [limits.tokens, used.tokens],
        [iteration.tokens, inIteration.tokens],
        [own?.tokens, byAgent.tokens],
      ) ?? 0,
    costMicros:
      left(
        [limits.costMicros, used.costMicros],
        [iteration.costMicros, inIteration.costMicros],
        [own?.costMicros, byAgent.costMicros],
      ) ?? 0,
    timeMs: left([limits.timeMs, state.activeMs], [iteration.timeMs, iterationMs(state)]) ?? 0,
    committed: used,
    limits: {
      tokens: limits.tokens,
      costMicros: limits.costMicros,
      ...defined({ inputTokens: limits.inputTokens, outputTokens: limits.outputTokens }),
    },
    ...defined({
      inputTokens: left(
        [limits.inputTokens, inputTokensOf(used)],
        [own?.inputTokens, inputTokensOf(byAgent)],
      ),
      outputTokens: left(
        [limits.outputTokens, outputTokensOf(used)],
        [own?.outputTokens, outputTokensOf(byAgent)],
      ),
    }),
  }
}

/** What the limits of the iteration are measured from. */
export const spentBeforeIteration = (
  state: RunFacts,
): Pick<RunFacts, 'spentBefore' | 'activeMsBefore'> => ({
  spentBefore: state.spent,
  activeMsBefore: state.activeMs,
})

/** Reserves a worst case until it is settled or charged. */
export const hold = <S extends RunFacts>(
  state: S,
  id: string,
  worst: Amount,
  role: string | undefined,
): S => ({
  ...state,
  reserved: { ...state.reserved, [id]: { ...worst, ...defined({ role }) } },
})

/** Replaces a reservation by what was really spent. */
export function settle<S extends RunFacts>(
  state: S,
  id: string,
  spent: Amount | undefined,
  by: string | undefined,
): S {
  const held = state.reserved[id]
  if (held === undefined && spent === undefined) return state
  const { [id]: _settled, ...reserved } = state.reserved
  return charge({ ...state, reserved }, spent ?? zero, held?.role ?? by)
}

/** The cost of an unfinished call is unknown, so its worst case is charged. */
export function chargeOpen<S extends RunFacts>(state: S): S {
  const open = Object.values(state.reserved)
  if (open.length === 0) return state
  return open.reduce<S>((sum, { role, ...worst }) => charge(sum, worst, role), {
    ...state,
    reserved: {},
  })
}

function charge<S extends RunFacts>(state: S, amount: Amount, role: string | undefined): S {
  const spent = add(state.spent, amount)
  if (role === undefined || isZero(amount)) return { ...state, spent }
  const before = ownOf(state.spentByRole, role) ?? zero
  return { ...state, spent, spentByRole: { ...state.spentByRole, [role]: add(before, amount) } }
}

export const countAgentCall = <S extends RunFacts>(state: S, role: string): S => ({
  ...state,
  callsByRole: { ...state.callsByRole, [role]: callsOf(state, role) + 1 },
})
