/**
 * What a run has spent, counted a second time and in another way than the engine does.
 *
 * E4. A worst case is laid on the scale only where it fits beside everything else; beyond a limit
 *     goes at most what one call cost more than it had reserved. The same holds for the limits of an
 *     iteration and of each agent.
 */

import {
  type Amount,
  add,
  type Limits,
  type RunEvent,
  type RunState,
  subtract,
  zero,
} from '#src/loop/index.ts'

export interface LedgerModel {
  /** Takes the next event in; `after` is what the engine makes of it. Says what is wrong, if so. */
  add(event: RunEvent, after: RunState): string | undefined
}

interface Held {
  readonly amount: Amount
  /** The agent that spends it. Absent: none. */
  readonly role: string | undefined
}

export function createLedgerModel(): LedgerModel {
  const open = new Map<string, Held>()
  const byRole = new Map<string, Amount>()
  const calls = new Map<string, number>()
  let spent: Amount = zero
  let spentBefore: Amount = zero

  function charge({ amount, role }: Held): void {
    spent = add(spent, amount)
    if (role !== undefined) byRole.set(role, add(byRole.get(role) ?? zero, amount))
  }

  function chargeAll(): void {
    for (const held of open.values()) charge(held)
    open.clear()
  }

  function settle(id: string, amount: Amount | undefined, role: string | undefined): void {
    const held = open.get(id)
    open.delete(id)
    charge({ amount: amount ?? zero, role: held?.role ?? role })
  }

  /** A reservation that does not fit is wrong; returns it when the event was one. */
  function reserve(
    id: string,
    amount: Amount | undefined,
    role: string | undefined,
  ): Held | undefined {
    if (amount === undefined) return undefined
    const held = { amount, role }
    open.set(id, held)
    return held
  }

  function take(event: RunEvent): Held | undefined {
    switch (event.type) {
      case 'iteration-started':
        if (event.again !== true) spentBefore = spent
        return undefined
      case 'iteration-restarted':
        chargeAll()
        spentBefore = spent
        return undefined
      case 'run-started':
      case 'run-suspended':
      case 'run-ended':
      case 'iteration-ended':
      case 'run-rewound':
        chargeAll()
        return undefined
      case 'step-started': {
        const role = event.kind === 'agent' ? event.role : undefined
        if (role !== undefined && event.call === true) calls.set(role, (calls.get(role) ?? 0) + 1)
        return reserve(event.step, event.reserved, role)
      }
      case 'budget-reserved':
        return reserve(event.id, event.worst, event.role)
      case 'budget-settled':
        settle(event.id, event.spent, undefined)
        return undefined
      case 'step-finished':
        settle(event.step, event.spent, event.kind === 'agent' ? event.role : undefined)
        return undefined
      case 'step-failed':
      case 'step-interrupted':
        settle(event.step, event.spent, event.role)
        return undefined
      default:
        return undefined
    }
  }

  const sum = (held: Iterable<Held>, start: Amount): Amount =>
    [...held].reduce((total, { amount }) => add(total, amount), start)

  /** The first limit that is exceeded now that this is reserved. */
  function overrun({ role }: Held, limits: Limits): string | undefined {
    const total = sum(open.values(), spent)
    if (isOver(total, limits)) return 'the run'
    const inIteration = subtract(total, spentBefore)
    if (limits.iteration !== undefined && isOver(inIteration, limits.iteration)) {
      return 'the iteration'
    }
    const own = role === undefined ? undefined : limits.agents?.[role]
    if (role === undefined || own === undefined) return undefined
    const ofRole = [...open.values()].filter((held) => held.role === role)
    return isOver(sum(ofRole, byRole.get(role) ?? zero), own) ? `agent ${role}` : undefined
  }

  function callProblem(event: RunEvent, { agents = {} }: Limits): string | undefined {
    if (event.type !== 'step-started' || event.call !== true || event.role === undefined) {
      return undefined
    }
    const { role } = event
    const max = agents[role]?.calls
    const count = calls.get(role) ?? 0
    if (max === undefined || count <= max) return undefined
    return `E4: call ${count} of agent ${role}, which may be called ${max} times`
  }

  return {
    add(event, after) {
      const held = take(event)
      const { limits } = after
      const over = held === undefined ? undefined : overrun(held, limits)
      if (over !== undefined) {
        const total = sum(open.values(), spent)
        return `E4: a reservation does not fit into the limit of ${over}: ${JSON.stringify({ total, limits, event })}`
      }
      if (!same(spent, after.spent) || !sameKeys(open, after.reserved)) {
        const model = { spent, open: [...open] }
        const engine = { spent: after.spent, reserved: after.reserved }
        return `E4: the ledger is ${JSON.stringify(engine)}, not ${JSON.stringify(model)}`
      }
      for (const [role, amount] of byRole) {
        const known = after.spentByRole[role] ?? zero
        if (!same(amount, known))
          return `E4: agent ${role} spent ${JSON.stringify({ amount, known })}`
      }
      return callProblem(event, limits)
    },
  }
}

const isOver = (
  { tokens, costMicros }: Amount,
  limits: { readonly tokens?: number; readonly costMicros?: number },
): boolean =>
  tokens > (limits.tokens ?? Number.POSITIVE_INFINITY) ||
  costMicros > (limits.costMicros ?? Number.POSITIVE_INFINITY)

const same = (a: Amount, b: Amount): boolean =>
  a.tokens === b.tokens && a.costMicros === b.costMicros

const sameKeys = (open: ReadonlyMap<string, Held>, reserved: RunState['reserved']): boolean =>
  open.size === Object.keys(reserved).length && [...open.keys()].every((id) => id in reserved)
