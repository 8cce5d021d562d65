/** Opens the parts of a run from its loop file: agents, tools, MCP servers and checks. */

import { realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { createAgents } from '../agents/index.ts'
import { createSecrets } from '../gateway/index.ts'
import { defined, type Level } from '../loop/index.ts'
import type { LoopPorts } from '../loops/loop-ports.ts'
import type { LoopFile } from '../protocol/index.ts'
import type { RunParts } from '../runs/options.ts'
import type { Environment } from '../system/environment.ts'
import { connectMcp, type McpTools } from '../tools/index.ts'
import { makePrivateFolder, removeAbandonedPrivateFolders } from '../workspace/index.ts'
import { openMakers, readersIn, sandboxAtLevel, usedFirst } from './agents/open-makers.ts'
import type { CommandChecks } from './agents/open-repair.ts'
import { toProposal } from './authority/open-actions.ts'
import {
  type AuthorityContext,
  openAuthority,
  openExecutors,
  openLevel,
} from './authority/open-authority.ts'
import type { CertifyingParts } from './checks/certifying-parts.ts'
import { folderFiles } from './checks/folder-reader.ts'
import { checkKind } from './checks/kinds/registry.ts'
import { certifyingParts, readersOf } from './checks/open-certifying-parts.ts'
import { openRunChecks } from './checks/open-run-checks.ts'
import { openReaders } from './checks/reader-agent.ts'
import { resolveChecks } from './checks/resolve-checks.ts'
import type { ResolvedChecks } from './checks/resolved-check.ts'
import { openTestReports, type TestReports } from './checks/test-reports.ts'
import type { CodeParts } from './code-loop/index.ts'
import { type HeldDependencies, holdDependencies } from './dependencies/hold-dependencies.ts'
import { type EscalationContext, escalationOf } from './escalation.ts'
import { filesIn } from './inner-folder.ts'
import {
  type CommandParts,
  type OpenCommands,
  openCommands,
} from './loop-ports/commands/open-commands.ts'
import { createFindFiles } from './loop-ports/find-files.ts'
import { createGather } from './loop-ports/gather.ts'
import { createMeasure } from './loop-ports/measure.ts'
import { createLoopMemory } from './loop-ports/memory.ts'
import { createSkillReader } from './loop-ports/read-skills.ts'
import { maskedTools } from './mask-tools.ts'
import { secretsOf, serversOf } from './mcp-servers.ts'
import type { OpenContext } from './open-context.ts'
import { openRunSandbox, partsOf } from './open-sandbox.ts'
import { openTools } from './open-tools.ts'
import type { OpenedSandbox } from './opened-sandbox.ts'
import { prepareWith } from './prepare-run.ts'
import { createSharedGateway } from './shared-gateway.ts'

export type FileParts = Pick<
  LoopFile,
  | 'name'
  | 'agents'
  | 'readers'
  | 'apart'
  | 'tools'
  | 'mcp'
  | 'checks'
  | 'scope'
  | 'escalate'
  | 'seals'
  | 'certify'
  | 'exclude'
  | 'sandbox'
  | 'level'
  | 'gate'
  | 'actions'
  | 'mergesWhenCertified'
  | 'proposes'
  | 'readsAtLevel1'
>

/** The parts of a run, and what its loop file says about certifying. */
export interface LaunchedParts extends RunParts {
  readonly certifying?: CertifyingParts
}

export interface OpenedParts {
  readonly parts: LaunchedParts
  /** What is missing and not required. */
  readonly problems: readonly string[]
  /** For the steps of the loop. */
  readonly ports: LoopPorts
  close(): Promise<void>
}

export type PartsContext = Omit<AuthorityContext, 'leveled'> & EscalationContext

/** Parts that the file defines in code override those that it defines as data. */
export async function openParts(
  file: FileParts,
  given: PartsContext,
  environment: Environment,
  code?: CodeParts,
): Promise<OpenedParts> {
  const place = { ...given, path: environment['PATH'] }
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).toReversed()) await end()
  }
  try {
    await removeAbandonedPrivateFolders()
    const workspace = place.workspace ?? (await emptyFolder(opened))
    const dependencies = holdDependencies()
    const settings = { settings: file.sandbox, base: place.base, workspace }
    const sandbox = await openRunSandbox({ ...settings, dependencies: dependencies.get }, place)
    opened.push(() => sandbox.close())
    const problems = [...sandbox.problems]
    const models = place.models ?? createSharedGateway(environment)
    if (place.models === undefined) opened.push(() => models.close())
    const checks = await resolveChecks(file.checks, {
      baseFiles: () => filesIn(place.baseFiles?.() ?? folderFiles(workspace), place.inner),
      isOffline: sandbox.summary.tier !== 'none' && file.sandbox.network.length === 0,
      problems,
    })
    const opening = { place, sandbox, models, environment, problems, checks: commandsOf(checks) }
    const leveled = await openLevel(file, place)
    const limited = sandboxAtLevel(file, place, { sandbox, workspace, level: leveled.level })
    const makers = await openMakers(file, { ...opening, sandbox: limited }, code)
    const mcp = await openServers(file, place, sandbox, environment, problems)
    opened.push(() => mcp.close())
    const offered = { mcp: mcp.tools, code: code?.tools, withoutMcp: limited !== sandbox }
    const { tools, allowing } = openTools(file, place.folder, sandbox, offered, problems)
    const readers = { ...readersIn(file, place), ...readersOf(checks, file.certify) }
    const apart = { workspace, emptyFolder: () => emptyFolder(opened) }
    const reading = await openReaders(readers, { ...opening, sandbox: limited }, apart)
    const executors = openExecutors(file, sandbox, place, environment)
    const authority = await openAuthority(file, { ...place, leveled }, workspace, code)
    const escalation = escalationOf(file, place)
    const reports = escalation && openReports(place, sandbox, dependencies)
    if (reports !== undefined) opened.push(() => reports.close())
    const certifying = certifyingParts(file, { ...opening, checks, place, tools }, code?.checks)
    return {
      parts: {
        agents: createAgents({ ...mapValues(makers, ({ agent }) => allowing(agent)), ...reading }),
        tools,
        checks: openRunChecks(file, { ...opening, checks, code, workspace, tools, reports }),
        certifying,
        prepare: prepareWith(
          certifying,
          dependencies.set,
          executors,
          openCommandsOf(file, place, { sandbox, models }, workspace),
        ),
        exclude: [...file.exclude, ...findExcluded(place)],
        sandbox: sandbox.summary,
        ...authority,
        ...defined({ agent: usedFirst(makers), hooks: code?.hooks, escalation }),
      },
      problems,
      ports: openPorts(file, place, { sandbox, level: authority.level }, environment),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const openReports = (
  { path, layer }: Pick<OpenContext, 'path' | 'layer'>,
  sandbox: OpenedSandbox,
  dependencies: HeldDependencies,
): TestReports =>
  openTestReports({
    sandbox,
    path,
    layerEnv: () => ({ ...dependencies.get()?.env, ...layer?.env }),
  })

/** What the steps of the loop can use. */
const openPorts = (
  { name, proposes }: FileParts,
  {
    run = name,
    workspace,
    memories,
    project: repository,
    base,
    proposals,
    branch,
    notices,
  }: PartsContext,
  { sandbox, level }: { readonly sandbox: OpenedSandbox; readonly level: Level },
  environment: Environment,
): LoopPorts => ({
  run,
  level,
  skills: createSkillReader({ workspace, home: environment['HOME'] ?? homedir() }),
  measure: createMeasure(sandbox, workspace),
  ...defined({
    notices,
    proposes: proposes && toProposal(proposes, { base }),
    proposals: proposals?.(name),
    branch,
    memory:
      memories &&
      createLoopMemory({
        memories,
        scope: { loop: name, ...defined({ repository }) },
        now: Date.now,
      }),
  }),
  gather: createGather({ workspace }),
  find: createFindFiles(workspace),
  now: Date.now,
})

const openCommandsOf = (
  { sandbox: settings }: FileParts,
  place: OpenContext,
  parts: Pick<CommandParts, 'sandbox' | 'models'>,
  workspace: string,
): OpenCommands => {
  const { logDir, path } = place
  return openCommands({
    ...parts,
    workspace,
    settings,
    excluded: findExcluded(place),
    logDir,
    path,
  })
}

const mapValues = <T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Readonly<Record<string, U>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

/** The checks that run commands in the workspace. */
const commandsOf = (checks: ResolvedChecks): CommandChecks =>
  Object.assign(
    {},
    ...Object.entries(checks).map(([name, check]) => checkKind(check).commands?.(name, check)),
  ) as CommandChecks

/** For a run without a workspace. */
async function emptyFolder(opened: (() => Promise<unknown>)[]): Promise<string> {
  const own = await makePrivateFolder()
  opened.push(() => own.remove())
  const folder = join(own.path, 'empty')
  await mkdir(folder)
  return folder
}

/** Excluded files that are in the workspace, as paths relative to it. */
function findExcluded({ workspace, excludedPaths = [] }: OpenContext): readonly string[] {
  if (workspace === undefined) return []
  return partsOf(workspace, excludedPaths).map((part) => relative(realpathSync(workspace), part))
}

async function openServers(
  file: FileParts,
  place: OpenContext,
  { startServer }: OpenedSandbox,
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
