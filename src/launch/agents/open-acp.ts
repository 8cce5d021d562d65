/**
 * An agent that speaks ACP: one that is known, or any command. It is started behind the walls and led to its
 * models through the gateway, as programs are.
 */

import {
  type AcpAgentOptions,
  type AcpLaunch,
  type Agent,
  type AgentProgram,
  acpAgent,
  acpLaunch,
  agentProgram,
  type LaunchOptions,
} from '../../agents/index.ts'
import { agentEnvironment } from '../../gateway/index.ts'
import { defined, LoopError } from '../../loop/index.ts'
import type { AcpAgentSettings } from '../../protocol/index.ts'
import { acpProgram } from './acp-program.ts'
import { type AgentParts, folderInside, type OpenedAgent } from './agent-parts.ts'
import { type FoundProgram, requireAgentProgram } from './find-program.ts'
import {
  isBusy,
  isOver,
  meteredProgram,
  programVariables,
  requireHidable,
  requireWalledReplay,
} from './metered-program.ts'
import { modelOf } from './open-program.ts'
import { requireOwnLogin } from './own-login.ts'
import { passOn } from './pass-on.ts'
import { makeProgramFolders, removedAfter, writeSettings } from './program-folders.ts'
import { requireCommand } from './require-command.ts'

export async function openAcp(settings: AcpAgentSettings, parts: AgentParts): Promise<OpenedAgent> {
  const program = typeof settings.acp === 'string' ? agentProgram(settings.acp) : undefined
  const { command, version } = commandOf(settings, program, parts)
  const name = program?.name ?? command[0] ?? ''
  const used = { ...defined({ version }), name, protocol: 'acp' } as const
  if (settings.subscription) {
    if (program !== undefined) throw onlyHeadless(program)
    return { agent: openOwn(settings, command, name, parts), used }
  }
  requireWalledReplay(name, parts)
  if (program !== undefined) requireHidable(program, parts)
  const model = program && (await modelOf(program, settings.model, parts))
  const variables = programVariables(settings.env, parts)
  const { walls } = parts
  const cwd = folderInside(parts)
  const agent = meteredProgram(variables, parts, async (session) => {
    const { settings: folder, home: ownHome, remove } = await makeProgramFolders()
    try {
      const view = { hides: program?.hides ?? [], shows: [folder] }
      const inside = walls.agentCommands(command, session.socketPath, view)
      const { token } = session
      const url = inside.url ?? session.url
      const home = inside.home ?? ownHome
      const led = { url, token, home, settings: folder }
      const {
        args,
        env,
        settings: files = {},
        ...told
      } = launchFor(program, settings, { ...led, model: model ?? '' })
      await writeSettings({ settings: files }, folder)
      const worker = acpAgent({
        ...told,
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
        lastAnswer: () => session.activity.lastAnswer,
        // Some ask for a title then, which nobody would see and all would pay for.
        onTurnEnded: () => void (session.activity.underWay === 0 && session.close()),
        ...defined({ cwd }),
      })
      return removedAfter(worker, remove)
    } catch (error) {
      await remove()
      throw error
    }
  })
  return { agent, used }
}

/** What is known of a program is found; the rest is taken as it is written. */
function commandOf(
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
    apart: [workspace, checkout],
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

type Led = Pick<LaunchOptions, 'url' | 'token' | 'home' | 'settings' | 'model'>

/** A command is told everything by its author. */
function launchFor(
  program: AgentProgram | undefined,
  { args, permissions }: AcpAgentSettings,
  led: Led,
): AcpLaunch {
  if (program === undefined) return { args: [], env: {} }
  return acpLaunch(program, { ...led, args }, permissions)
}

/** By its adapter it could not be kept from what the repository configures. */
const onlyHeadless = ({ name }: AgentProgram): LoopError =>
  new LoopError(
    'bad-loop-file',
    `With a login of its own ${name} is used headless. Write: agent: { program: ${name}, subscription: true }`,
  )

/** With its own home and login, and without walls. */
function openOwn(
  settings: AcpAgentSettings,
  command: readonly string[],
  name: string,
  parts: AgentParts,
): Agent {
  requireOwnLogin(name, parts)
  const env = passOn('the agent', settings.env, parts.environment, parts.problems)
  const { args, model } = settings
  const { bareStart } = parts.walls
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
