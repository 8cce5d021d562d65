/** What a loop file says a run may use, made real: its agent, tools, MCP servers and checks. */

import { realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type Agent, createAgents } from '../agents/index.ts'
import type { Tools } from '../engine/index.ts'
import { createSecrets } from '../gateway/index.ts'
import { defined } from '../loop/index.ts'
import type { LoopFile } from '../protocol/index.ts'
import type { Environment } from '../system/environment.ts'
import { connectMcp, type McpTools } from '../tools/index.ts'
import { makeOwnFolder, removeAbandonedFolders } from '../workspace/index.ts'
import type { AgentParts, OpenedAgent } from './agents/agent-parts.ts'
import { openAgent } from './agents/open-agent.ts'
import type { CommandChecks } from './agents/open-repair.ts'
import { type CalibratedIn, calibratedChecks } from './calibrate/calibrated-checks.ts'
import { folderFiles } from './checks/folder-reader.ts'
import { certifyingParts, readersOf } from './checks/open-certifying-parts.ts'
import { type CheckPlace, describeCheck, describeCode, openChecks } from './checks/open-checks.ts'
import { openReaders } from './checks/reader-agent.ts'
import { resolveChecks } from './checks/resolve-checks.ts'
import { type ResolvedChecks } from './checks/resolved-check.ts'
import { surroundingsIn } from './checks/surroundings.ts'
import type { CodeParts } from './code-loop/index.ts'
import type { RunDependencies } from './dependencies/run-dependencies.ts'
import { filesIn } from './inner-folder.ts'
import type { OpenPlace } from './launch-place.ts'
import type { OpenedLoop } from './loaded-loop.ts'
import { maskedTools } from './mask-tools.ts'
import { secretsOf, serversOf } from './mcp-servers.ts'
import { openWalls, partsOf } from './open-sandbox.ts'
import { openTools } from './open-tools.ts'
import { type OpenWalls } from './opened-sandbox.ts'
import { prepareWith } from './prepare-run.ts'
import { createModelDoor } from './shared-gateway.ts'

/** The role that the built-in loop type `plain` asks for. */
const maker = 'maker'

export type FileParts = Pick<
  LoopFile,
  | 'name'
  | 'agent'
  | 'tools'
  | 'mcp'
  | 'checks'
  | 'scope'
  | 'seals'
  | 'certify'
  | 'exclude'
  | 'sandbox'
>

export interface OpenedParts extends OpenedLoop {
  close(): Promise<void>
}

export interface PartsPlace extends OpenPlace {
  /** The folder of the loop file. */
  readonly base: string
}

/** What the file has as code is put over what it has as data. */
export async function openParts(
  file: FileParts,
  given: PartsPlace,
  environment: Environment,
  code?: CodeParts,
): Promise<OpenedParts> {
  const place = { ...given, path: environment['PATH'] }
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).toReversed()) await end()
  }
  try {
    await removeAbandonedFolders()
    const workspace = place.workspace ?? (await emptyFolder(opened))
    const dependencies = holdDependencies()
    const settings = { settings: file.sandbox, base: place.base, workspace }
    const walls = await openWalls({ ...settings, dependencies: dependencies.get }, place)
    opened.push(() => walls.close())
    const problems = [...walls.problems]
    const models = place.models ?? createModelDoor(environment)
    if (place.models === undefined) opened.push(() => models.close())
    const checks = await resolveChecks(file.checks, {
      begun: () => filesIn(place.begun?.() ?? folderFiles(workspace), place.inner),
      isOffline: walls.walls.tier !== 'none' && file.sandbox.network.length === 0,
      problems,
    })
    const opening = { place, walls, models, environment, problems, checks: commandsOf(checks) }
    const { agent, used } = await openMaker(file, opening, code)
    const mcp = await openServers(file, place, walls, environment, problems)
    opened.push(() => mcp.close())
    const others = [...mcp.tools, ...(code?.tools ?? [])]
    const { tools, allowing } = openTools(file, place.folder, walls, others, problems)
    const readers = readersOf(checks, file.certify)
    const { hooks, gate, actions } = code ?? {}
    const certifying = certifyingParts(file, { ...opening, checks, place, tools }, code?.checks)
    return {
      parts: {
        agents: createAgents({
          [maker]: allowing(agent),
          ...(await openReaders(readers, opening, { workspace })),
        }),
        tools,
        checks: calibratedChecks(
          {
            ...openChecks(checks, { walls, surroundings: aroundChecks(file, opening) }),
            ...code?.checks,
          },
          {
            record: place.folder,
            loop: file.name,
            describe: describer(checks, code, { workspace, environment, tools }),
          },
        ),
        certifying,
        prepare: prepareWith(certifying, dependencies.set),
        exclude: [...file.exclude, ...apartIn(place)],
        sandbox: walls.walls,
        ...defined({ agent: used, hooks, gate, actions }),
      },
      problems,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface HeldDependencies {
  get(): RunDependencies | undefined
  set(found: RunDependencies): void
}

/** They are installed when the run begins, and its commands see them from then on. */
function holdDependencies(): HeldDependencies {
  let held: RunDependencies | undefined
  return {
    get: () => held,
    set(found) {
      held = found
    },
  }
}

function aroundChecks(
  { sandbox }: FileParts,
  { walls, environment, place }: Pick<AgentParts, 'walls' | 'environment' | 'place'>,
): CheckPlace['surroundings'] {
  const project = place.checkout ?? place.workspace
  return surroundingsIn({ sandbox, walls: walls.walls, environment, project })
}

async function openMaker(
  file: FileParts,
  opening: AgentParts & { readonly place: OpenPlace },
  code: CodeParts | undefined,
): Promise<OpenedAgent> {
  if (opening.place.isForChecks === true) return { agent: nobody }
  if (code?.agent === undefined) return openAgent(file.agent, opening)
  return { agent: code.agent, used: { name: 'code of the loop' } }
}

const nobody: Agent = { work: () => Promise.reject(new Error('Nobody works here.')) }

/** Which check it is, as a certificate would say. */
const describer =
  (
    checks: ResolvedChecks,
    code: CodeParts | undefined,
    at: {
      readonly workspace: string
      readonly environment: Environment
      readonly tools: Tools
    },
  ): CalibratedIn['describe'] =>
  async (name) => {
    const check = checks[name]
    if (check === undefined || code?.checks?.[name] !== undefined) return describeCode(name)
    return describeCheck(name, check, {
      workspace: at.workspace,
      path: at.environment['PATH'],
      described: (await at.tools.list?.()) ?? [],
    })
  }

/** Those that are commands of the workspace itself. */
const commandsOf = (checks: ResolvedChecks): CommandChecks =>
  Object.fromEntries(
    Object.entries(checks).flatMap(([name, check]): [string, CommandChecks[string]][] => {
      if (check.type === 'command') return [[name, check]]
      if (check.type !== 'standard') return []
      const { env, timeoutMs } = check
      const here = check.commands.filter(({ folder }) => folder === '')
      return here.map(({ argv }, index) => [`${name} ${index}`, { command: argv, env, timeoutMs }])
    }),
  )

/** For a run that works on no files. */
async function emptyFolder(opened: (() => Promise<unknown>)[]): Promise<string> {
  const own = await makeOwnFolder()
  opened.push(() => own.remove())
  const folder = join(own.path, 'empty')
  await mkdir(folder)
  return folder
}

/** Of the files that are apart, those in the workspace, as paths in it. */
function apartIn({ workspace, apart = [] }: OpenPlace): readonly string[] {
  if (workspace === undefined) return []
  return partsOf(workspace, apart).map((part) => relative(realpathSync(workspace), part))
}

async function openServers(
  file: FileParts,
  place: OpenPlace,
  { startServer }: OpenWalls,
  environment: Environment,
  problems: string[],
): Promise<McpTools> {
  const { workspace, replay, signal } = place
  const servers = serversOf(file.mcp, environment, problems, replay !== undefined)
  const mcp = await connectMcp(servers, {
    environment,
    startServer,
    ...defined({ cwd: workspace, signal }),
  })
  const { maskText } = createSecrets([], secretsOf(file.mcp, environment))
  problems.push(
    ...mcp.problems.map(({ server, message }) => `MCP server ${server}: ${maskText(message)}`),
  )
  return { ...mcp, tools: maskedTools(mcp.tools, maskText) }
}
