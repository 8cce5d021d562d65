/**
 * Which agents there are on this machine, and what is missing for the others. For `loopctl agents`.
 *
 * No value of a key is ever part of it.
 */

import { type AgentProgram, knownPrograms } from '../../agents/index.ts'
import { keyVariables, publicProviders } from '../../gateway/index.ts'
import { defined } from '../../loop/index.ts'
import { openSandbox, type Sandbox, type SandboxReport } from '../../sandbox/index.ts'
import type { Environment } from '../../system/environment.ts'
import { createModelDoor, type ModelDoor } from '../shared-gateway.ts'
import { acpProgram } from './acp-program.ts'
import { askVersion } from './ask-version.ts'
import { type FoundProgram, findAgentProgram, howToGet, type WhereToLook } from './find-program.ts'

export interface AgentsFound {
  readonly sandbox: Pick<SandboxReport, 'tier' | 'reason'>
  readonly agents: readonly AgentFound[]
}

export interface AgentFound {
  /** As a loop file names it. */
  readonly name: string
  readonly kind: 'program' | 'built-in' | 'models'
  /** `ready`: it can work now. */
  readonly state: 'ready' | 'no-key' | 'missing'
  readonly path?: string
  readonly from?: FoundProgram['from']
  /** Absent: it does not say. */
  readonly version?: string
  /** The version that this program was made with. */
  readonly tested?: string
  readonly protocols: readonly AgentProtocol[]
  /** Where it works. */
  readonly walls: 'sandbox' | 'no walls' | 'our process'
  readonly can: readonly string[]
  readonly key?: AgentKey
  /** What to do, where it is not ready. */
  readonly next?: string
}

export interface AgentKey {
  readonly provider: string
  readonly variable: string
  readonly found: boolean
}

export interface AgentProtocol {
  readonly name: 'headless' | 'acp' | 'api'
  /** Absent: it can be spoken here. */
  readonly next?: string
}

export async function listAgents(
  folder: string,
  environment: Environment = process.env,
): Promise<AgentsFound> {
  const sandbox = await openSandbox()
  const models = createModelDoor(environment)
  const look = { sandbox, models, at: { folder, environment } }
  const programs: AgentFound[] = []
  for (const program of knownPrograms()) programs.push(await lookAt(program, look))
  const providers = await Promise.all(
    Object.keys(publicProviders).map((provider) => modelsOf(provider, look)),
  )
  const { tier, reason } = sandbox.report
  return { sandbox: { tier, reason }, agents: [...programs, repair(sandbox), ...providers] }
}

interface Look {
  readonly sandbox: Sandbox
  readonly models: ModelDoor
  readonly at: WhereToLook
}

const wallsOf = ({ report }: Sandbox): AgentFound['walls'] =>
  report.tier === 'none' ? 'no walls' : 'sandbox'

async function lookAt(program: AgentProgram, look: Look): Promise<AgentFound> {
  const found = findAgentProgram(program, look.at)
  const key = await keyFor(program, look.models)
  const base = {
    name: program.name,
    kind: 'program',
    tested: program.package.version,
    protocols: [{ name: 'headless' }, ...acpOf(program, look.at)],
    walls: wallsOf(look.sandbox),
    can: capabilitiesOf(program),
    key,
  } as const
  if (found === undefined) return { ...base, state: 'missing', next: howToGet(program) }
  const version = found.version ?? (await askVersion(found.command, look.sandbox))
  return {
    ...base,
    path: found.path,
    from: found.from,
    ...defined({ version }),
    ...(key.found ? { state: 'ready' } : { state: 'no-key', next: howToKey(key) }),
  }
}

function acpOf(program: AgentProgram, at: WhereToLook): readonly AgentProtocol[] {
  const wanted = acpProgram(program)
  if (wanted === undefined) return []
  const isThere = findAgentProgram(wanted, at) !== undefined
  return [{ name: 'acp', ...(isThere ? {} : { next: howToGet(wanted) }) }]
}

/** In words of our own, since a person reads them. */
function capabilitiesOf({ capabilities }: AgentProgram): readonly string[] {
  const { limits, resumes, streams, mcp } = capabilities
  return [
    'spending is metered',
    ...limits.map((limit) => `limit of ${limit}`),
    ...(streams ? ['says what it does'] : []),
    ...(mcp ? ['MCP servers'] : []),
    ...(resumes ? ['sessions'] : []),
  ]
}

/** Of the first provider that it can ask and that there is one for. */
async function keyFor(
  { provider, otherProviders = [] }: AgentProgram,
  models: ModelDoor,
): Promise<AgentKey> {
  const keys = await Promise.all([provider, ...otherProviders].map((one) => keyOf(one, models)))
  return keys.find(({ found }) => found) ?? keyOf(provider, models)
}

async function keyOf(provider: string, models: ModelDoor): Promise<AgentKey> {
  // A file of keys that cannot be used is what `doctor` is about.
  const found = await models.hasKey(provider).catch(() => false)
  return { provider, variable: keyVariables(provider)[0] ?? '', found }
}

const howToKey = ({ provider, variable }: AgentKey): string =>
  `There is no key for ${provider}: set ${variable}, or put it into the key file (loopctl doctor says where).`

const repair = (sandbox: Sandbox): AgentFound => ({
  name: 'repair',
  kind: 'built-in',
  state: 'ready',
  protocols: [],
  walls: wallsOf(sandbox),
  can: ['needs no model, key or network', 'JavaScript and TypeScript', 'small faults'],
})

async function modelsOf(provider: string, { models }: Look): Promise<AgentFound> {
  const key = await keyOf(provider, models)
  return {
    name: `${provider}/…`,
    kind: 'models',
    protocols: [{ name: 'api' }],
    walls: 'our process',
    can: ['our tools', 'MCP servers', 'spending is metered'],
    key,
    ...(key.found ? { state: 'ready' } : { state: 'no-key', next: howToKey(key) }),
  }
}
