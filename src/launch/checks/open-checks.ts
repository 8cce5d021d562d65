/**
 * The checks of a loop file, each as something that can be asked: during iterations in the workspace, and
 * to certify in a clean checkout, where they are described as well.
 */

import type { Check, Tools } from '../../engine/index.ts'
import { type ConditionCommand, filesOfCommand, type OpenCheck } from '../../evidence/index.ts'
import type { ToolDescription } from '../../loop/index.ts'
import {
  type AgentSettings,
  type CommandCheckSettings,
  canonicalJson,
  type JudgeCheckSettings,
} from '../../protocol/index.ts'
import { sha256 } from '../../system/index.ts'
import type { CheckView } from '../agents/command-view.ts'
import { observeCheck } from '../certify/identity/observe-check.ts'
import type { Identity } from '../certify/identity/open-identity.ts'
import type { OpenWalls } from '../opened-sandbox.ts'
import { commandCheck } from './command-check.ts'
import { judgeCheck } from './judge-check.ts'
import { programDigest } from './program-digest.ts'
import type { ResolvedCheck, ResolvedChecks, StandardCheck } from './resolved-check.ts'
import { standardCheck } from './standard-check.ts'
import { toolCheck } from './tool-check.ts'

export interface CheckPlace {
  readonly walls: Pick<OpenWalls, 'commandsFor'>
  /** Where programs of the checks are that are files of the work. */
  readonly workspace: string
  /** The PATH that programs are found on. */
  readonly path: string | undefined
  /** What is there to be called, for the record. */
  readonly described: readonly ToolDescription[]
  /** Tools that work in this place, and not in that of the run. */
  readonly tools: Tools
  /** Digest of what the answers of a check with this environment depend on, besides the files. */
  readonly surroundings: (env?: Readonly<Record<string, string>>) => string
  /** How its test runners report. */
  readonly identity: Identity
  /** Variables that the dependencies set. */
  readonly layerEnv: Env
}

type Env = Readonly<Record<string, string>>

export function openChecks(
  checks: ResolvedChecks,
  place: Pick<CheckPlace, 'walls' | 'surroundings'>,
): Readonly<Record<string, Check>> {
  return Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [
      name,
      lenient(check, openCheck(name, check, place)),
    ]),
  )
}

/** What may have failed before is no reason to go on; whether it did, and as it does now, certifying tells. */
function lenient({ existing }: ResolvedCheck, run: Check): Check {
  if (existing !== 'allow') return run
  const allowing: Check = async (context) => {
    const found = await run(context)
    return found.status === 'not-met' ? { ...found, allowed: true } : found
  }
  return Object.assign(allowing, run)
}

/** Ready for a certificate. Those that are code are told apart by their names. */
export async function openCertifyingChecks(
  checks: ResolvedChecks,
  code: Readonly<Record<string, Check>>,
  place: CheckPlace,
): Promise<readonly OpenCheck[]> {
  const opened: OpenCheck[] = []
  for (const [name, check] of Object.entries(checks)) {
    const { existing, outputs } = check
    const run = code[name]
    opened.push(
      run === undefined
        ? {
            name,
            run: inPlace(openCheck(name, check, place), place.tools),
            ...observing(check, place),
            existing,
            outputs,
            surroundings: place.surroundings(envOf(check)),
            ...(await describeCheck(name, check, place)),
          }
        : { name, run, existing, outputs, ...describeCode(name) },
    )
  }
  return opened
}

/** Only commands have test runners. */
function observing(check: ResolvedCheck, place: CheckPlace): Pick<OpenCheck, 'observe'> {
  if (check.type !== 'command' && check.type !== 'standard') return {}
  const { walls, identity, layerEnv } = place
  const observed = {
    identity,
    env: { ...layerEnv, ...check.env },
    open: (env: Env, prefix: readonly string[]) =>
      runCommands({ ...check, env }, walls, { shows: identity.shows, prefix }),
    ...(check.type === 'command' && check.junit !== undefined ? { junit: check.junit } : {}),
  }
  return { observe: (context, options) => observeCheck(observed, context, options) }
}

function runCommands(
  check: CommandCheckSettings | StandardCheck,
  walls: Pick<OpenWalls, 'commandsFor'>,
  view: CheckView = {},
): Check {
  if (check.type === 'standard') return standardCheck(check, walls, view)
  const { command, env, timeoutMs } = check
  const { shows, prefix = [] } = view
  const [program = '', ...args] = [...prefix, ...command]
  return commandCheck(program, args, {
    timeoutMs,
    env,
    commands: walls.commandsFor(command, shows),
  })
}

function openCheck(
  name: string,
  check: ResolvedCheck,
  { walls, surroundings }: Pick<CheckPlace, 'walls' | 'surroundings'>,
): Check {
  const { timeoutMs } = check
  const around = surroundings(envOf(check))
  switch (check.type) {
    case 'command': {
      const { command } = check
      const run = runCommands(check, walls)
      const fingerprint = fingerprintOf({ command, timeoutMs, around })
      return Object.assign(run, { timeoutMs, fingerprint })
    }
    case 'standard': {
      const { commands, condition } = check
      const run = runCommands(check, walls)
      return Object.assign(run, {
        timeoutMs,
        fingerprint: fingerprintOf({ commands, timeoutMs, around }),
        kind: 'command' as const,
        condition,
      })
    }
    case 'tool':
      return Object.assign(toolCheck(check), {
        timeoutMs,
        kind: 'tool' as const,
        isLive: true as const,
      })
    case 'judge': {
      const fingerprint = fingerprintOf(judged(check))
      return Object.assign(judgeCheck(name, check), {
        timeoutMs,
        fingerprint,
        kind: 'judge' as const,
      })
    }
  }
}

const envOf = (check: ResolvedCheck): Readonly<Record<string, string>> | undefined =>
  check.type === 'command' || check.type === 'standard' ? check.env : undefined

/** A built-in tool looks at the folder that it is given. */
const inPlace =
  (check: Check, tools: Tools): Check =>
  (context) =>
    check({
      ...context,
      async callTool(name, args) {
        const isOurs = (await tools.list?.())?.some((tool) => tool.name === name) === true
        return isOurs ? tools.call(name, args, context) : context.callTool(name, args)
      },
    })

const fingerprintOf = (what: object): string => sha256(canonicalJson(what))

/** A judge is its prompt and its agent, model included. */
const judged = ({ agent, prompt }: JudgeCheckSettings): object => ({ agent, prompt })

export type Described = Pick<OpenCheck, 'kind' | 'describes' | 'toolDigest' | 'names'>

export async function describeCheck(
  name: string,
  check: ResolvedCheck,
  { workspace, path, described }: Pick<CheckPlace, 'workspace' | 'path' | 'described'>,
): Promise<Described> {
  switch (check.type) {
    case 'command':
      return {
        kind: 'command',
        describes: check.command,
        toolDigest: await programDigest(check.command, workspace, path),
        names: filesNamedBy(check),
      }
    case 'standard':
      return {
        kind: 'command',
        describes: describeCommands(check.commands),
        toolDigest: sha256(
          (
            await Promise.all(
              check.commands.map(({ argv }) => programDigest(argv, workspace, path)),
            )
          ).join(),
        ),
        names: filesNamedBy(check),
      }
    case 'tool':
      return {
        kind: 'tool',
        describes: ['tool', check.tool, canonicalJson(check.args)],
        toolDigest: fingerprintOf({
          tool: described.find((tool) => tool.name === check.tool) ?? check.tool,
          expect: check.expect ?? null,
        }),
        names: [],
      }
    case 'judge':
      return {
        kind: 'judge',
        describes: ['judge', name, agentName(check.agent)],
        toolDigest: fingerprintOf(judged(check)),
        names: filesNamedBy(check),
      }
  }
}

/** Files of the work that decide about it, because a command is told to use them. */
export function filesNamedBy(check: ResolvedCheck): readonly string[] {
  if (check.type === 'command') return filesOfCommand(check.command)
  if (check.type === 'judge') return filesOfAgent(check.agent)
  return check.type === 'standard' ? check.commands.flatMap(({ names }) => names) : []
}

/** A judge or consultant that is a script of the work could be told what to say. */
export function filesOfAgent(agent: AgentSettings): readonly string[] {
  if (agent.type === 'command') return filesOfCommand(agent.command)
  return agent.type === 'acp' && typeof agent.acp !== 'string' ? filesOfCommand(agent.acp) : []
}

/** As one would type it. */
export const describeCommands = (commands: readonly ConditionCommand[]): readonly string[] =>
  commands.flatMap(({ folder, argv }, index) => [
    ...(index === 0 ? [] : ['&&']),
    ...(folder === '' ? argv : ['cd', folder, '&&', ...argv]),
  ])

export const describeCode = (name: string): Described => ({
  kind: 'code',
  describes: ['code', name],
  // The digest of the loop's code is in the certificate itself.
  toolDigest: sha256(`code ${name}`),
  names: [],
})

/** For people. */
export function agentName(agent: AgentSettings): string {
  switch (agent.type) {
    case 'command':
      return agent.command.join(' ')
    case 'program':
      return agent.model === undefined ? agent.program : `${agent.program} ${agent.model}`
    case 'acp':
      return typeof agent.acp === 'string' ? agent.acp : agent.acp.join(' ')
    case 'model':
      return agent.model
    case 'repair':
    case 'script':
      return agent.type
  }
}
