/** Checks and changes of limits. */

import type { AgentLimits, IterationLimits, Limits } from '../budget.ts'

type Names<T> = Readonly<Record<keyof T, true>>

const limitNames: Names<Limits> = {
  iterations: true,
  tokens: true,
  costMicros: true,
  timeMs: true,
  deadlineAtMs: true,
  sameErrors: true,
  inputTokens: true,
  outputTokens: true,
  iteration: true,
  agents: true,
  warnAt: true,
}

const iterationLimitNames: Names<IterationLimits> = { tokens: true, costMicros: true, timeMs: true }

const agentLimitNames: Names<AgentLimits> = {
  calls: true,
  tokens: true,
  inputTokens: true,
  outputTokens: true,
  costMicros: true,
}

const warnAtMin = 0.5
const warnAtMax = 0.95

/** Why these are not limits, in one sentence. Values may come from JavaScript or JSON. */
export function findLimitProblem(limits: object): string | undefined {
  return findFirst(limits, limitNames, '', (path, value) => {
    switch (path) {
      case 'iteration':
        return findInside(path, value, (inner) =>
          findFirst(inner, iterationLimitNames, 'iteration.', findCountProblem),
        )
      case 'agents':
        return findInside(path, value, findAgentProblem)
      case 'warnAt':
        return findShareProblem(value)
      default:
        return findCountProblem(path, value)
    }
  })
}

type FindProblem = (path: string, value: unknown) => string | undefined

/** A misspelled limit would have no effect, so unknown names are problems. */
function findFirst(
  limits: object,
  names: Readonly<Record<string, true>>,
  prefix: string,
  find: FindProblem,
): string | undefined {
  for (const [name, value] of Object.entries(limits)) {
    const path = `${prefix}${name}`
    const problem = Object.hasOwn(names, name)
      ? find(path, value)
      : `There is no limit "${path}". The limits are: ${Object.keys(names).join(', ')}.`
    if (problem !== undefined) return problem
  }
  return undefined
}

function findAgentProblem(agents: object): string | undefined {
  for (const [role, value] of Object.entries(agents)) {
    const path = `agents.${role}`
    const problem = findInside(path, value, (own) =>
      findFirst(own, agentLimitNames, `${path}.`, findCountProblem),
    )
    if (problem !== undefined) return problem
  }
  return undefined
}

const findInside = (
  path: string,
  value: unknown,
  find: (inner: object) => string | undefined,
): string | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? find(value)
    : `The limits in "${path}" must be an object.${path === 'iteration' ? oneLetterMore : ''}`

const oneLetterMore = ' The number of iterations is the limit "iterations".'

const findCountProblem: FindProblem = (path, value) =>
  Number.isInteger(value) && Number(value) >= 0
    ? undefined
    : `The limit "${path}" must be a non-negative whole number, not ${String(value)}.`

const findShareProblem = (value: unknown): string | undefined =>
  typeof value === 'number' && value >= warnAtMin && value <= warnAtMax
    ? undefined
    : `The limit "warnAt" must be between ${warnAtMin} and ${warnAtMax}, not ${String(value)}.`

/** Limits with changes. Those of the iteration and of each agent are changed one by one. */
export function changeLimits<L extends Partial<Limits>>(limits: L, changes: Partial<Limits>): L {
  const { iteration, agents } = changes
  const changed = {
    ...limits,
    ...changes,
    ...(iteration === undefined ? {} : { iteration: { ...limits.iteration, ...iteration } }),
  }
  if (agents === undefined) return changed
  const roles = Object.entries(agents).map(([role, own]): [string, AgentLimits] => [
    role,
    { ...limitsOfAgent(limits, role), ...own },
  ])
  return { ...changed, agents: { ...limits.agents, ...Object.fromEntries(roles) } }
}

/** Only own properties: a role may be named like a member of every object, such as `constructor`. */
export const limitsOfAgent = (
  { agents = {} }: Pick<Limits, 'agents'>,
  role: string,
): AgentLimits | undefined => (Object.hasOwn(agents, role) ? agents[role] : undefined)
