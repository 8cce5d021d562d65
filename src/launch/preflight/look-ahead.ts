/**
 * The first stage of the preflight, which starts no processes of the project: checks the agent and its key, the
 * sandbox, the disk, the lockfile, and the programs of the checks. Takes seconds, and runs before a worktree
 * is created.
 */

import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { agentProgram } from '../../agents/index.ts'
import { isLoopError, LoopError, type Preflight } from '../../loop/index.ts'
import type { LoopTypeDefinition } from '../../loops/index.ts'
import { type AgentSettings, runsCommands } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { findAgentProgram } from '../agents/find-program.ts'
import { keyProblem } from '../agents/model-warnings.ts'
import { agentName } from '../checks/agent-name.ts'
import { folderFiles } from '../checks/folder-reader.ts'
import { type PlannedCheck, planChecks } from '../checks/plan-checks.ts'
import type { LoadedLoop } from '../loaded-loop.ts'
import { differentAgents, missingAgents } from '../loop-warnings.ts'
import { chooseSandbox } from '../open-sandbox.ts'
import { planSandbox } from '../plan/plan-sandbox.ts'
import { outsideUseOf, readinessOf } from '../to-loop-type.ts'
import { checkSources } from './check-sources.ts'
import { findLockfileProblems } from './lockfile-sync.ts'
import { missingTools } from './missing-tools.ts'

export interface LookAheadOptions {
  /** The folder that the run works in. */
  readonly workspace: string
  /** The state folder. */
  readonly folder: string
  readonly attended: boolean
  readonly environment?: Environment
  /** Default: the built-in ones. */
  readonly types?: readonly LoopTypeDefinition[]
}

/** One thing that was checked. */
export interface PreflightFinding {
  readonly what:
    | 'loop file'
    | 'readiness'
    | 'agent'
    | 'sandbox'
    | 'disk'
    | 'lockfile'
    | 'sources'
    | 'checks'
  readonly status: 'ok' | 'warning' | 'problem'
  /** One sentence; for a problem, with what to do. */
  readonly detail: string
}

/** Everything that `loopctl preflight` prints. */
export interface PreflightReport {
  readonly loop: string
  readonly looked: readonly PreflightFinding[]
  /** Absent: a problem has to be fixed first. */
  readonly tried?: Preflight
  readonly ready: boolean
}

export async function runFirstStage(
  loaded: LoadedLoop,
  options: LookAheadOptions,
): Promise<readonly PreflightFinding[]> {
  const { environment = process.env, workspace, folder, attended, types } = options
  const { checks } = await planChecks(loaded, workspace)
  return [
    { what: 'loop file', status: 'ok', detail: loaded.source.file },
    ...checkReadiness(loaded, types),
    ...(await checkAgents(loaded, { environment, workspace, folder })),
    await checkSandbox(loaded, attended),
    ...(await checkDisk([folder, workspace])),
    ...(await checkLockfile(workspace)),
    ...(await checkSources(outsideUseOf(loaded, types), workspace)),
    checkChecks(checks, workspace, environment),
  ]
}

/** Throws with everything that has to be fixed first. */
export async function requireReady(loaded: LoadedLoop, options: LookAheadOptions): Promise<void> {
  const problems = (await runFirstStage(loaded, options)).filter(
    ({ status }) => status === 'problem',
  )
  if (problems.length === 0) return
  const text = problems.map(({ detail }) => detail).join('\n')
  const isWeak = problems.every(({ what }) => what === 'sandbox')
  throw new LoopError(isWeak ? 'not-available' : 'not-configured', text)
}

/** A matter of points: what cannot work at all is a problem of the loop file. */
function checkReadiness(
  loaded: LoadedLoop,
  types: LookAheadOptions['types'],
): readonly PreflightFinding[] {
  const readiness = readinessOf(loaded, types)
  if (readiness === undefined) return []
  const { score, missing } = readiness
  const [first] = missing
  const detail = `${score} of 100${first === undefined ? '' : `. ${first}`}`
  return [{ what: 'readiness', status: score < readyFrom ? 'warning' : 'ok', detail }]
}

/** Below it, a loop is not ready for more than reports. */
const readyFrom = 40

interface AgentPlace {
  readonly environment: Environment
  readonly workspace: string
  readonly folder: string
}

/** One finding for each agent; with several, each names its roles. */
async function checkAgents(
  { agents }: LoadedLoop,
  at: AgentPlace,
): Promise<readonly PreflightFinding[]> {
  const different = differentAgents(agents)
  const found: PreflightFinding[] = []
  for (const [key, agent] of different) {
    const finding = await checkAgent(key, agent, at)
    const roles = Object.keys(agents).filter((role) => agents[role] === agent)
    const isOnly = Object.keys(agents).length === 1 || finding.status === 'problem'
    found.push(isOnly ? finding : { ...finding, detail: `${roles.join(', ')}: ${finding.detail}` })
  }
  return found
}

async function checkAgent(
  key: string,
  agent: AgentSettings,
  at: AgentPlace,
): Promise<PreflightFinding> {
  const noKey = await keyProblem(agent, at.environment)
  const missing = [
    ...missingAgents(key, agent, at.workspace, at),
    ...(noKey === undefined ? [] : [`${key}.model: ${noKey}`]),
  ]
  if (missing.length > 0) return { what: 'agent', status: 'problem', detail: missing.join('; ') }
  const found =
    agent.type === 'program'
      ? findAgentProgram(agentProgram(agent.program), { ...at, projectFolders: [at.workspace] })
      : undefined
  const version = found?.version === undefined ? '' : ` ${found.version}`
  return { what: 'agent', status: 'ok', detail: `${agentName(agent)}${version}` }
}

async function checkSandbox({ sandbox }: LoadedLoop, attended: boolean): Promise<PreflightFinding> {
  try {
    await chooseSandbox(sandbox, attended)
  } catch (error) {
    if (!isLoopError(error, 'not-available')) throw error
    return { what: 'sandbox', status: 'problem', detail: error.message }
  }
  const { tier, problem } = await planSandbox(sandbox, attended)
  return problem === undefined
    ? { what: 'sandbox', status: 'ok', detail: tier }
    : { what: 'sandbox', status: 'warning', detail: `The sandbox has tier "${tier}": ${problem}` }
}

const mebibyte = 1024 ** 2
const bytesMin = 200 * mebibyte
const bytesEnough = 1024 * mebibyte

async function checkDisk(folders: readonly string[]): Promise<readonly PreflightFinding[]> {
  const found: PreflightFinding[] = []
  let least = Number.POSITIVE_INFINITY
  for (const folder of folders) {
    const { bavail = 0, bsize = 0 } = (await statfs(folder).catch(() => undefined)) ?? {}
    const free = bavail * bsize
    if (bsize === 0) continue
    least = Math.min(least, free)
    if (free >= bytesEnough) continue
    const status = free < bytesMin ? 'problem' : 'warning'
    const detail = `Only ${Math.floor(free / mebibyte)} MiB free on the disk of ${folder}. Free some space.`
    found.push({ what: 'disk', status, detail })
  }
  if (found.length > 0 || least === Number.POSITIVE_INFINITY) return found
  return [{ what: 'disk', status: 'ok', detail: `${Math.floor(least / 1024 / mebibyte)} GiB free` }]
}

async function checkLockfile(workspace: string): Promise<readonly PreflightFinding[]> {
  const { reader, tree } = folderFiles(workspace)
  const problems = await findLockfileProblems(reader, tree)
  return problems.map((detail) => ({ what: 'lockfile', status: 'problem', detail }))
}

/** Dependencies of these may provide programs that are not installed yet. */
const manifests = ['package.json', 'pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg']

function checkChecks(
  checks: readonly PlannedCheck[],
  workspace: string,
  environment: Environment,
): PreflightFinding {
  const unmet = checks.flatMap(({ problem }) => problem ?? [])
  const path = [environment['PATH'] ?? '', join(workspace, 'node_modules', '.bin')].join(delimiter)
  const hasPackages = manifests.some((file) => existsSync(join(workspace, file)))
  const missing = checks
    .filter(({ type }) => type !== 'code' && runsCommands({ type }))
    .flatMap(({ name, text }) =>
      missingTools(text, { workspace, path, hasPackages }).map(
        (tool) =>
          `The check ${name} needs the program ${tool}, which is not on the PATH. Install it, or change the check.`,
      ),
    )
  const problems = [...unmet, ...missing]
  if (problems.length > 0) return { what: 'checks', status: 'problem', detail: problems.join(' ') }
  const detail = checks.map(({ name, text }) => `${name} (${text})`).join(', ')
  return checks.length === 0
    ? { what: 'checks', status: 'warning', detail: 'none; the code of the loop decides' }
    : { what: 'checks', status: 'ok', detail }
}
