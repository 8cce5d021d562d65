/**
 * Lists the agents on this machine, and what the others need. For `loopctl agents`.
 *
 * The list never contains the value of a key.
 */

import { type AgentProgram, knownPrograms } from '../../agents/index.ts'
import { keyVariables, publicProviders } from '../../gateway/index.ts'
import { defined } from '../../loop/index.ts'
import { openSandbox, type Sandbox, type SandboxReport } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import { createSharedGateway, type SharedGateway } from '../shared-gateway.ts'
import { acpProgram } from './acp-program.ts'
import { askVersion } from './ask-version.ts'
import {
  explainInstall,
  type FoundProgram,
  findAgentProgram,
  type ProgramSearch,
} from './find-program.ts'

export interface AgentList {
  readonly sandbox: Pick<SandboxReport, 'tier' | 'reason'>
  readonly agents: readonly AgentStatus[]
}

export interface AgentStatus {
  /** Its name in a loop file. */
  readonly name: string
  readonly kind: 'program' | 'built-in' | 'models'
  readonly state: 'ready' | 'no-key' | 'missing'
  readonly path?: string
  readonly from?: FoundProgram['from']
  /** Absent: unknown. */
  readonly version?: string
  /** The version that Loopwright was tested with. */
  readonly tested?: string
  readonly protocols: readonly AgentProtocol[]
  /** Where it runs; `none`: no sandbox is available here. */
  readonly isolation: 'sandbox' | 'none' | 'own-process'
  readonly can: readonly string[]
  readonly key?: AgentKey
  /** What to do if it is not ready. */
  readonly next?: string
}

export interface AgentKey {
  readonly provider: string
  readonly variable: string
  readonly found: boolean
}

export interface AgentProtocol {
  readonly name: 'headless' | 'acp' | 'api'
  /** What to do first. Absent: it is available. */
  readonly next?: string
}

export async function listAgents(
  folder: string,
  environment: Environment = process.env,
): Promise<AgentList> {
  const sandbox = await openSandbox()
  const models = createSharedGateway(environment)
  const search = { sandbox, models, at: { folder, environment } }
  const programs: AgentStatus[] = []
  for (const program of knownPrograms()) programs.push(await describeProgram(program, search))
  const providers = await Promise.all(
    Object.keys(publicProviders).map((provider) => describeProvider(provider, search)),
  )
  const { tier, reason } = sandbox.report
  return { sandbox: { tier, reason }, agents: [...programs, repair(sandbox), ...providers] }
}

interface AgentSearch {
  readonly sandbox: Sandbox
  readonly models: SharedGateway
  readonly at: ProgramSearch
}

const describeSandbox = ({ report }: Sandbox): AgentStatus['isolation'] =>
  report.tier === 'none' ? 'none' : 'sandbox'

async function describeProgram(program: AgentProgram, search: AgentSearch): Promise<AgentStatus> {
  const found = findAgentProgram(program, search.at)
  const key = await findKey(program, search.models)
  const base = {
    name: program.name,
    kind: 'program',
    tested: program.package.version,
    protocols: [{ name: 'headless' }, ...describeAcp(program, search.at)],
    isolation: describeSandbox(search.sandbox),
    can: listCapabilities(program),
    key,
  } as const
  if (found === undefined) return { ...base, state: 'missing', next: explainInstall(program) }
  const version = found.version ?? (await askVersion(found.command, search.sandbox))
  return {
    ...base,
    path: found.path,
    from: found.from,
    ...defined({ version }),
    ...(key.found ? { state: 'ready' } : { state: 'no-key', next: explainMissingKey(key) }),
  }
}

function describeAcp(program: AgentProgram, at: ProgramSearch): readonly AgentProtocol[] {
  const wanted = acpProgram(program)
  if (wanted === undefined) return []
  const isThere = findAgentProgram(wanted, at) !== undefined
  return [{ name: 'acp', ...(isThere ? {} : { next: explainInstall(wanted) }) }]
}

/** For people. */
function listCapabilities({ capabilities }: AgentProgram): readonly string[] {
  const { limits, resumes, streams, mcp } = capabilities
  return [
    'spending is metered',
    ...limits.map((limit) => `limit of ${limit}`),
    ...(streams ? ['says what it does'] : []),
    ...(mcp ? ['MCP servers'] : []),
    ...(resumes ? ['sessions'] : []),
  ]
}

/** The key of the first provider that it can use and that has one. */
async function findKey(
  { provider, otherProviders = [] }: AgentProgram,
  models: SharedGateway,
): Promise<AgentKey> {
  const keys = await Promise.all([provider, ...otherProviders].map((one) => checkKey(one, models)))
  return keys.find(({ found }) => found) ?? checkKey(provider, models)
}

async function checkKey(provider: string, models: SharedGateway): Promise<AgentKey> {
  // An unusable key file is reported by `doctor`.
  const found = await models.hasKey(provider).catch(() => false)
  return { provider, variable: keyVariables(provider)[0] ?? '', found }
}

const explainMissingKey = ({ provider, variable }: AgentKey): string =>
  `There is no key for ${provider}. Set ${variable}, or add it to the key file, whose path is printed by: loopctl doctor`

const repair = (sandbox: Sandbox): AgentStatus => ({
  name: 'repair',
  kind: 'built-in',
  state: 'ready',
  protocols: [],
  isolation: describeSandbox(sandbox),
  can: ['needs no model, key or network', 'JavaScript and TypeScript', 'small faults'],
})

async function describeProvider(provider: string, { models }: AgentSearch): Promise<AgentStatus> {
  const key = await checkKey(provider, models)
  return {
    name: `${provider}/…`,
    kind: 'models',
    protocols: [{ name: 'api' }],
    isolation: 'own-process',
    can: ['our tools', 'MCP servers', 'spending is metered'],
    key,
    ...(key.found ? { state: 'ready' } : { state: 'no-key', next: explainMissingKey(key) }),
  }
}
