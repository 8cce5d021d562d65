/** From what a loop file says to what it means, or to everything that is wrong with it. Pure. */

import { defined } from '../../loop/index.ts'
import { isJsonObject, type JsonObject } from '../values.ts'
import { issueProblems, issueReason } from './issue-problems.ts'
import type { FileProblem, LoopFile } from './loop-file.ts'
import { loopFileProblems } from './loop-file-problems.ts'
import { loopFileSchema, type WrittenLoopFile } from './loop-file-schema.ts'
import { type AgentRoles, type LoopFileType, makerRole, type Unnamed } from './loop-file-type.ts'

export type CheckedLoopFile =
  | { readonly type: 'file'; readonly file: Unnamed<LoopFile> }
  | { readonly type: 'refused'; readonly problems: readonly FileProblem[] }

export interface CheckLoopFileOptions {
  /** Deadlines before it are refused. */
  readonly nowMs: number
  /** Names of tools that are code of the file. */
  readonly ownTools?: readonly string[]
}

export function checkLoopFile(
  value: JsonObject,
  type: LoopFileType,
  { nowMs, ownTools = [] }: CheckLoopFileOptions,
): CheckedLoopFile {
  const written = type.complete?.(value) ?? value
  const parsed = loopFileSchema(type).safeParse(written, { error: issueReason, reportInput: true })
  const roles = [...roleProblems(written, type), ...listedTwice(written)]
  if (!parsed.success || roles.length > 0) {
    const problems = [...(parsed.success ? [] : issueProblems(parsed.error.issues)), ...roles]
    return { type: 'refused', problems }
  }
  const file = toLoopFile(parsed.data, type)
  const problems = loopFileProblems(file, type, nowMs, ownTools)
  return problems.length > 0 ? { type: 'refused', problems } : { type: 'file', file }
}

const listedTwice = ({ then, actions }: JsonObject): FileProblem[] =>
  then === undefined || actions === undefined
    ? []
    : [
        {
          path: ['actions'],
          reason: 'it is the earlier name of then: use one of them',
          atKey: true,
        },
      ]

/** Which agents are named, whatever else may be wrong with them. */
function roleProblems({ agent, agents }: JsonObject, { name, roles }: LoopFileType): FileProblem[] {
  const named = isJsonObject(agents) ? Object.keys(agents) : []
  const isTwice = agent !== undefined && named.includes(makerRole)
  const twice = {
    path: ['agents', makerRole],
    reason: `the key agent names the agent for ${makerRole} too: remove one of the two`,
    atKey: true,
  }
  if (roles === 'any') return isTwice ? [twice] : []
  const known = Object.keys(roles)
  const isUnknown = agent !== undefined && !known.includes(makerRole)
  const unknown = {
    path: ['agent'],
    reason: `the loop type ${name} has no ${makerRole}: name agents for ${known.join(', ')} under agents`,
    atKey: true,
  }
  const given = agent === undefined ? named : [...named, makerRole]
  const missing = Object.entries(roles).flatMap(([role, { absent, description }]) =>
    absent === 'refused' && !given.includes(role) ? [missingAgent(role, description)] : [],
  )
  return [...(isTwice ? [twice] : []), ...(isUnknown ? [unknown] : []), ...missing]
}

const missingAgent = (role: string, description: string): FileProblem =>
  role === makerRole
    ? { path: ['agent'], reason: 'it is missing: expected the name of an agent, or its settings' }
    : {
        path: ['agents', role],
        reason: `it is missing: expected the agent that ${description}`,
      }

function toLoopFile(written: WrittenLoopFile, type: LoopFileType): Unnamed<LoopFile> {
  const names = Object.keys(type.keys)
  const entries = Object.entries(written)
  const settings = Object.fromEntries(entries.filter(([name]) => names.includes(name)))
  const common = Object.fromEntries(entries.filter(([name]) => !names.includes(name)))
  const { agent, agents, then, actions, ...rest } = common as unknown as WrittenLoopFile
  const given = agent === undefined ? agents : { [makerRole]: agent, ...agents }
  const { mergesWhenCertified, readsAtLevel1 } = type
  const unused = type.unusedRoles?.(settings) ?? []
  return {
    ...rest,
    actions: then ?? actions ?? type.actions ?? [],
    ...defined({
      mergesWhenCertified,
      readsAtLevel1,
      proposes: type.proposes?.(settings),
      delivers: type.delivers?.(settings),
    }),
    ...withRoles(given, type.roles, unused),
    ...(type.once === true ? { limits: { ...rest.limits, iterations: 1 } } : {}),
    settings,
  }
}

/** In the order of the type; a role without an agent has that of the role it falls back to. */
function withRoles(
  given: WrittenLoopFile['agents'],
  roles: LoopFileType['roles'],
  unused: readonly string[],
): Pick<LoopFile, 'agents' | 'readers' | 'apart'> {
  const known: AgentRoles = roles === 'any' ? {} : roles
  const names = roles === 'any' ? Object.keys(given) : Object.keys(roles)
  const agents = names.flatMap((role) => {
    const { absent } = known[role] ?? {}
    const fallsBack = typeof absent === 'object' && !unused.includes(role)
    const found = given[role] ?? (fallsBack ? given[absent.sameAs] : undefined)
    return found === undefined ? [] : [[role, found] as const]
  })
  const readers = agents.map(([role]) => role).filter((role) => known[role]?.access === 'read')
  const apart = readers.filter((role) => known[role]?.sees === 'prompt')
  return {
    agents: Object.fromEntries(agents),
    readers,
    ...(apart.length === 0 ? {} : { apart }),
  }
}
