/**
 * Opens an agent that speaks ACP: a known one, or any command. It runs in the sandbox and reaches its models
 * through the gateway, as agent programs do.
 */

import { type AcpAgentOptions, acpAgent } from '../../agents/acp/acp-agent.ts'
import {
  type AcpLaunch,
  type Agent,
  type AgentProgram,
  acpLaunch,
  agentProgram,
  type LaunchOptions,
} from '../../agents/index.ts'
import { agentEnvironment } from '../../gateway/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import type { AcpAgentSettings } from '../../protocol/index.ts'
import { acpProgram } from './acp-program.ts'
import { type AgentParts, type OpenedAgent, sandboxWorkspace } from './agent-parts.ts'
import { type FoundProgram, requireAgentProgram } from './find-program.ts'
import {
  isBusy,
  isOver,
  meteredProgram,
  programVariables,
  requireHidable,
  requireSandboxedReplay,
} from './metered-program.ts'
import { chooseProgramModel } from './open-program.ts'
import { pickVariables } from './pick-variables.ts'
import { makeProgramFolders, withCleanup, writeSettings } from './program-folders.ts'
import { requireCommand } from './require-command.ts'
import { requireOwnLogin } from './require-own-login.ts'

export async function openAcp(settings: AcpAgentSettings, parts: AgentParts): Promise<OpenedAgent> {
  const program = typeof settings.acp === 'string' ? agentProgram(settings.acp) : undefined
  const { command, version } = findCommand(settings, program, parts)
  const name = program?.name ?? command[0] ?? ''
  const used = { ...defined({ version }), name, protocol: 'acp' } as const
  if (settings.subscription) {
    if (program !== undefined) throw createHeadlessOnlyError(program)
    return { agent: openWithOwnLogin(settings, command, name, parts), used }
  }
  requireSandboxedReplay(name, parts)
  if (program !== undefined) requireHidable(program, parts)
  const model = program && (await chooseProgramModel(program, settings.model, parts))
  const variables = programVariables(settings.env, parts)
  const { sandbox } = parts
  const cwd = sandboxWorkspace(parts)
  const agent = meteredProgram(variables, parts, async (session) => {
    const { settings: folder, home: ownHome, remove } = await makeProgramFolders()
    try {
      const view = { hides: program?.hides ?? [], shows: [folder] }
      const inside = sandbox.agentCommands(command, session.socketPath, view)
      const { token } = session
      const url = inside.url ?? session.url
      const home = inside.home ?? ownHome
      const sessionSettings = { url, token, home, settings: folder }
      const {
        args,
        env,
        settings: files = {},
        ...launchSettings
      } = launchFor(program, settings, { ...sessionSettings, model: model ?? '' })
      await writeSettings({ settings: files }, folder)
      const worker = acpAgent({
        ...launchSettings,
        ...common(settings),
        command: [...command, ...args],
        start: inside.start,
        env: {
          HOME: home,
          ...variables.given(token),
          ...agentEnvironment(url, token),
          ...env,
        },
        spending: 'gateway',
        mask: session.maskText,
        isBusy: () => isBusy(session),
        hasResult: () => isOver(session),
        lastAnswer: () => session.activity.lastTurnEnd,
        // Some then request a title, which is never shown but costs money.
        onTurnEnded: () => void (session.activity.inProgress === 0 && session.close()),
        ...defined({ cwd }),
      })
      return withCleanup(worker, remove)
    } catch (error) {
      await remove()
      throw error
    }
  })
  return { agent, used }
}

/** Finds a known program; any other command is used as written. */
function findCommand(
  { acp }: AcpAgentSettings,
  program: AgentProgram | undefined,
  parts: AgentParts,
): Pick<FoundProgram, 'command' | 'version'> {
  if (program === undefined) {
    const command = typeof acp === 'string' ? [acp] : acp
    requireCommand(command, parts)
    return { command }
  }
  const wanted = acpProgram(program)
  if (wanted === undefined || program.acp === undefined) {
    const message = `${program.name} does not speak ACP. Use it headless: agent: ${program.name}`
    throw new LoopError('bad-loop-file', message)
  }
  const { folder, workspace, checkout } = parts.place
  const found = requireAgentProgram(wanted, {
    folder,
    environment: parts.environment,
    projectFolders: [workspace, checkout],
  })
  return { ...found, command: [...found.command, ...program.acp.args] }
}

const common = ({
  permissions,
  timeoutMs,
  idleMs,
  auth,
}: AcpAgentSettings): Pick<
  AcpAgentOptions,
  'permissions' | 'timeoutMs' | 'idleMs' | 'authMethod'
> => ({ permissions, timeoutMs, idleMs, ...defined({ authMethod: auth }) })

type SessionSettings = Pick<LaunchOptions, 'url' | 'token' | 'home' | 'settings' | 'model'>

/** A command has all its settings in the loop file. */
function launchFor(
  program: AgentProgram | undefined,
  { args, permissions }: AcpAgentSettings,
  sessionSettings: SessionSettings,
): AcpLaunch {
  if (program === undefined) return { args: [], env: {} }
  return acpLaunch(program, { ...sessionSettings, args }, permissions)
}

/** With its ACP adapter, settings of the repository could not be hidden from it. */
const createHeadlessOnlyError = ({ name }: AgentProgram): LoopError =>
  new LoopError(
    'bad-loop-file',
    `${name} can use its own login only headless. Write: agent: { program: ${name}, subscription: true }`,
  )

/** With the user's home and login, and without a sandbox. */
function openWithOwnLogin(
  settings: AcpAgentSettings,
  command: readonly string[],
  name: string,
  parts: AgentParts,
): Agent {
  requireOwnLogin(name, parts)
  const env = pickVariables('the agent', settings.env, parts.environment, parts.problems)
  const { args, model } = settings
  const { bareStart } = parts.sandbox
  const chosen = defined({ model })
  return acpAgent({
    ...common(settings),
    command: [...command, ...args],
    start: bareStart,
    env,
    spending: 'subscription',
    ...chosen,
  })
}
