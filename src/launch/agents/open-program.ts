/**
 * Opens a known agent program, with a separate home and settings. It reaches its models through the gateway,
 * never has a key, and its files are removed after the step.
 */

import { type Agent, type AgentProgram, agentProgram, withOwnLogin } from '../../agents/index.ts'
import {
  type ProgramAgentOptions,
  programAgent,
  toLaunch,
} from '../../agents/programs/program-agent.ts'
import { defined, LoopError } from '../../loop/index.ts'
import type { ProgramAgentSettings } from '../../protocol/index.ts'
import type { AgentParts, OpenedAgent } from './agent-parts.ts'
import { askWith } from './ask-version.ts'
import { type FoundProgram, requireAgentProgram } from './find-program.ts'
import {
  isBusy,
  isOver,
  meteredProgram,
  programVariables,
  requireHidable,
  requireSandboxedReplay,
} from './metered-program.ts'
import { pickVariables } from './pick-variables.ts'
import { makeProgramFolders, withCleanup, writeSettings } from './program-folders.ts'
import { chooseModel, chooseModelWithoutKey, toProgramModel } from './program-model.ts'
import { requireOwnLogin } from './require-own-login.ts'

export async function openProgram(
  settings: ProgramAgentSettings,
  parts: AgentParts,
): Promise<OpenedAgent> {
  const program = agentProgram(settings.program)
  const { folder, workspace, checkout } = parts.place
  const found = requireAgentProgram(program, {
    folder,
    environment: parts.environment,
    projectFolders: [workspace, checkout],
    isUnsandboxed: settings.subscription,
  })
  const used = {
    ...(await findVersion(found, parts)),
    name: program.name,
    protocol: 'headless',
  } as const
  if (settings.subscription)
    return { agent: openWithOwnLogin(settings, program, found, parts), used }
  requireSandboxedReplay(program.name, parts)
  requireHidable(program, parts)
  const model = await chooseProgramModel(program, settings.model, parts)
  const variables = programVariables(settings.env, parts)
  const { command } = found
  const agent = meteredProgram(variables, parts, async (session) => {
    const { settings: settingsFolder, home: ownHome, remove } = await makeProgramFolders()
    try {
      const view = { hides: program.hides, shows: [settingsFolder] }
      const inside = parts.sandbox.agentCommands(command, session.socketPath, view)
      const options: ProgramAgentOptions = {
        ...common(settings),
        program,
        command,
        model,
        commands: inside.commands,
        url: inside.url ?? session.url,
        token: session.token,
        home: inside.home ?? ownHome,
        settings: settingsFolder,
        env: variables.given(session.token),
        spending: 'gateway',
        mask: session.maskText,
        isBusy: () => isBusy(session),
        hasResult: () => isOver(session),
        lastAnswer: () => session.activity.lastTurnEnd,
      }
      await writeSettings(toLaunch(options, ''), settingsFolder)
      return withCleanup(programAgent(options), remove)
    } catch (error) {
      await remove()
      throw error
    }
  })
  return { agent, used }
}

/** Asks in the sandbox if its package has no version; never in a replay. */
export async function findVersion(
  { command, version }: FoundProgram,
  { sandbox, place }: AgentParts,
): Promise<{ readonly version?: string }> {
  const isAsked = version === undefined && place.replay === undefined
  const known = isAsked ? await askWith(command, sandbox.commandsFor(command)) : version
  return defined({ version: known })
}

const common = ({
  args,
  timeoutMs,
  idleMs,
  turnsMax,
}: ProgramAgentSettings): Pick<
  ProgramAgentOptions,
  'args' | 'timeoutMs' | 'idleMs' | 'turnsMax'
> => ({ args, timeoutMs, idleMs, ...defined({ turnsMax }) })

export const chooseProgramModel = (
  program: AgentProgram,
  written: string | undefined,
  parts: AgentParts,
): Promise<string> =>
  (parts.place.replay === undefined ? chooseModel : chooseModelWithoutKey)(program, written, parts)

/** With the user's home, login and settings, and without a sandbox. */
function openWithOwnLogin(
  settings: ProgramAgentSettings,
  program: AgentProgram,
  { command }: FoundProgram,
  parts: AgentParts,
): Agent {
  const own = withOwnLogin(program)
  if (own === undefined) throw createSandboxOnlyError(program)
  requireOwnLogin(program.name, parts)
  return programAgent({
    ...common(settings),
    program: own,
    command,
    model: toProgramModel(program, settings.model),
    commands: parts.sandbox.bareCommands,
    // It uses its own.
    url: '',
    token: '',
    home: '',
    settings: '',
    env: pickVariables('the agent', settings.env, parts.environment, parts.problems),
    spending: 'subscription',
  })
}

const createSandboxOnlyError = ({ name, hides }: AgentProgram): LoopError =>
  new LoopError(
    'bad-loop-file',
    `${name} follows instructions in files of the repository (${hides.join(', ')}), which only the sandbox ` +
      'hides from it. Remove agent.subscription, and use an API key.',
  )
