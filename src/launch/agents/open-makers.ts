/** Opens the agents of a loop by role: those that may change files, and how those that only read are opened. */

import type { Agent } from '../../agents/index.ts'
import { type Level, LoopError } from '../../loop/index.ts'
import { type AgentSettings, type LoopFile, makerRole } from '../../protocol/index.ts'
import { type ReaderSettings, readOnlySandbox } from '../checks/reader-agent.ts'
import type { CodeParts } from '../code-loop/index.ts'
import type { OpenContext } from '../open-context.ts'
import type { OpenedSandbox } from '../opened-sandbox.ts'
import type { AgentParts, OpenedAgent } from './agent-parts.ts'
import { openAgent } from './open-agent.ts'

type OpenedAgents = Readonly<Record<string, OpenedAgent>>

type MakersFile = Pick<LoopFile, 'agents' | 'readers' | 'apart' | 'readsAtLevel1'>

type Opening = AgentParts & { readonly place: OpenContext }

/** The agents that may change files, by role. */
export async function openMakers(
  { agents, readers }: MakersFile,
  opening: Opening,
  code: CodeParts | undefined,
): Promise<OpenedAgents> {
  const opened: [string, OpenedAgent][] = []
  const isCode = code?.agent !== undefined && agents[makerRole] === undefined
  const roles = [...Object.keys(agents), ...(isCode ? [makerRole] : [])]
  for (const role of roles.filter((one) => !readers.includes(one))) {
    opened.push([role, await openMaker(role, agents[role], opening, code)])
  }
  return Object.fromEntries(opened)
}

async function openMaker(
  role: string,
  settings: AgentSettings | undefined,
  opening: Opening,
  code: CodeParts | undefined,
): Promise<OpenedAgent> {
  if (opening.place.isForChecks === true) return { agent: missingAgent }
  if (role === makerRole && code?.agent !== undefined) {
    return { agent: code.agent, used: { name: 'code of the loop' } }
  }
  return settings === undefined ? { agent: missingAgent } : openAgent(settings, opening)
}

export interface SandboxOfRun {
  readonly sandbox: OpenedSandbox
  readonly workspace: string
  readonly level: Level
}

/** What agents may touch at this level. Rejects if the sandbox cannot enforce it. */
export function sandboxAtLevel(
  { agents, readsAtLevel1, sandbox: settings }: MakersFile & Pick<LoopFile, 'sandbox'>,
  { isForChecks }: Pick<OpenContext, 'isForChecks'>,
  { sandbox, workspace, level }: SandboxOfRun,
): OpenedSandbox {
  if (readsAtLevel1 !== true || level === 2 || isForChecks === true) return sandbox
  const { tier } = sandbox.summary
  if (level === 3) {
    if (tier === 'strong') return sandbox
    throw tooWeak(
      'At level 3 this loop acts without a person, so it needs a sandbox of tier "strong"',
      tier,
    )
  }
  const programs = Object.values(agents).filter(isProgram)
  if (programs.some((agent) => 'subscription' in agent && agent.subscription)) {
    throw new LoopError(
      'not-available',
      'At level 1 the agents of this loop may only read, but one with its own login (subscription) runs outside of the sandbox. Remove that key.',
    )
  }
  // Without a sandbox only if the owner of the loop says so, which is possible in attended runs only.
  if (programs.length > 0 && tier === 'none' && settings.require !== 'none') {
    throw tooWeak('At level 1 the agents of this loop may only read, which needs a sandbox', tier)
  }
  return readOnlySandbox(sandbox, workspace, { isOffline: true })
}

const tooWeak = (why: string, tier: string): LoopError =>
  new LoopError(
    'not-available',
    `${why}, but only "${tier}" is available. See what is missing: loopctl doctor`,
  )

const isProgram = ({ type }: AgentSettings): boolean => type !== 'model' && type !== 'script'

/** The agents of the loop that may only read, by role. */
export const readersIn = (
  { agents, readers, apart = [] }: MakersFile,
  { isForChecks }: OpenContext,
): Readonly<Record<string, ReaderSettings>> =>
  Object.fromEntries(
    (isForChecks === true ? [] : readers).flatMap((role) => {
      const agent = agents[role]
      if (agent === undefined) return []
      const timeoutMs = 'timeoutMs' in agent ? agent.timeoutMs : readerTimeoutMs
      const isApart = apart.includes(role) ? { isApart: true as const } : {}
      return [[role, { agent, timeoutMs, ...isApart }] as const]
    }),
  )

/** For an agent without a time limit: the default of agent programs. */
const readerTimeoutMs = 1_800_000

/** The maker; in a loop without one, the first agent. */
export const usedFirst = (makers: OpenedAgents): OpenedAgent['used'] =>
  (makers[makerRole] ?? Object.values(makers)[0])?.used

const missingAgent: Agent = { work: () => Promise.reject(new Error('This run has no agent.')) }
