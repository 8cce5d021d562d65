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
  type StepFinished,
  type StepStarted,
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
  const books = createBooks()
  return {
    add(event, after) {
      const held = books.take(event)
      const { limits } = after
      const over = held === undefined ? undefined : findOverrun(books, held, limits)
      if (over !== undefined) {
        const details = JSON.stringify({ total: books.total(), limits, event })
        return `E4: a reservation does not fit into the limit of ${over}: ${details}`
      }
      return differenceProblem(books, after) ?? callProblem(books, event, limits)
    },
  }
}

interface Books {
  /** Returns what the event reserves, if it does. */
  take(event: RunEvent): Held | undefined
  readonly open: ReadonlyMap<string, Held>
  readonly spent: Amount
  readonly spentBefore: Amount
  readonly spentBy: ReadonlyMap<string, Amount>
  readonly calls: ReadonlyMap<string, number>
  /** Spent and reserved: by all, or by one agent. */
  total(role?: string): Amount
}

function createBooks(): Books {
  const open = new Map<string, Held>()
  const spentBy = new Map<string, Amount>()
  const calls = new Map<string, number>()
  let spent: Amount = zero
  let spentBefore: Amount = zero

  function charge({ amount, role }: Held): void {
    spent = add(spent, amount)
    if (role !== undefined) spentBy.set(role, add(spentBy.get(role) ?? zero, amount))
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

  function reserve(id: string, amount: Amount | undefined, role?: string): Held | undefined {
    if (amount === undefined) return undefined
    const held = { amount, role }
    open.set(id, held)
    return held
  }

  function start(event: StepStarted): Held | undefined {
    const role = agentOf(event)
    if (role !== undefined && event.call === true) calls.set(role, (calls.get(role) ?? 0) + 1)
    return reserve(event.step, event.reserved, role)
  }

  /** What only changes what is spent. */
  function pass(event: RunEvent): void {
    if (chargingTypes.has(event.type)) chargeAll()
    if (event.type === 'iteration-restarted') spentBefore = spent
    if (event.type === 'iteration-started' && event.again !== true) spentBefore = spent
    if (event.type === 'budget-settled') settle(event.id, event.spent, undefined)
    if (event.type === 'step-finished') settle(event.step, event.spent, agentOf(event))
    if (event.type === 'step-failed' || event.type === 'step-interrupted') {
      settle(event.step, event.spent, event.role)
    }
  }

  return {
    open,
    spentBy,
    calls,
    get spent() {
      return spent
    },
    get spentBefore() {
      return spentBefore
    },
    take(event) {
      if (event.type === 'step-started') return start(event)
      if (event.type === 'budget-reserved') return reserve(event.id, event.worst, event.role)
      pass(event)
      return undefined
    },
    total: (role) =>
      [...open.values()]
        .filter((held) => role === undefined || held.role === role)
        .reduce(
          (sum, { amount }) => add(sum, amount),
          role === undefined ? spent : (spentBy.get(role) ?? zero),
        ),
  }
}

/** After these, nothing that was reserved before is under way. */
const chargingTypes: ReadonlySet<RunEvent['type']> = new Set([
  'run-started',
  'run-suspended',
  'run-ended',
  'iteration-ended',
  'iteration-restarted',
  'run-rewound',
])

const agentOf = ({ kind, role }: StepStarted | StepFinished): string | undefined =>
  kind === 'agent' ? role : undefined

/** Whose limit is exceeded now that this is reserved. */
function findOverrun(books: Books, { role }: Held, limits: Limits): string | undefined {
  if (isOver(books.total(), limits)) return 'the run'
  const inIteration = subtract(books.total(), books.spentBefore)
  if (isOver(inIteration, limits.iteration ?? {})) return 'the iteration'
  if (role === undefined) return undefined
  return isOver(books.total(role), limits.agents?.[role] ?? {}) ? `agent ${role}` : undefined
}

function callProblem(books: Books, event: RunEvent, { agents = {} }: Limits): string | undefined {
  if (event.type !== 'step-started' || event.call !== true) return undefined
  const { role = '' } = event
  const max = agents[role]?.calls
  const count = books.calls.get(role) ?? 0
  if (max === undefined || count <= max) return undefined
  return `E4: call ${count} of agent ${role}, which may be called ${max} times`
}

function differenceProblem(
  { spent, open, spentBy }: Books,
  { spent: engineSpent, reserved, spentByRole }: RunState,
): string | undefined {
  const roles = new Set([...spentBy.keys(), ...Object.keys(spentByRole)])
  const areRolesSame = [...roles].every((role) =>
    same(spentBy.get(role) ?? zero, spentByRole[role] ?? zero),
  )
  if (same(spent, engineSpent) && sameKeys(open, reserved) && areRolesSame) return undefined
  const model = { spent, open: [...open], spentBy: [...spentBy] }
  const engine = { spent: engineSpent, reserved, spentByRole }
  return `E4: the ledger is ${JSON.stringify(engine)}, not ${JSON.stringify(model)}`
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
