/**
 * An agent program that is known: found, given a home and settings of its own, and led to its models through
 * the gateway. It never has a key, and nothing of it is left when its step is over.
 */

import {
  type Agent,
  type AgentProgram,
  agentProgram,
  launchOf,
  type ProgramAgentOptions,
  programAgent,
  withOwnLogin,
} from '../../agents/index.ts'
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
  requireWalledReplay,
} from './metered-program.ts'
import { requireOwnLogin } from './own-login.ts'
import { passOn } from './pass-on.ts'
import { makeProgramFolders, removedAfter, writeSettings } from './program-folders.ts'
import { chooseModel, modelFor, modelWithout } from './program-model.ts'

export async function openProgram(
  settings: ProgramAgentSettings,
  parts: AgentParts,
): Promise<OpenedAgent> {
  const program = agentProgram(settings.program)
  const { folder, workspace, checkout } = parts.place
  const found = requireAgentProgram(program, {
    folder,
    environment: parts.environment,
    apart: [workspace, checkout],
    isBare: settings.subscription,
  })
  const used = {
    ...(await versionOf(found, parts)),
    name: program.name,
    protocol: 'headless',
  } as const
  if (settings.subscription) return { agent: openOwn(settings, program, found, parts), used }
  requireWalledReplay(program.name, parts)
  requireHidable(program, parts)
  const model = await modelOf(program, settings.model, parts)
  const variables = programVariables(settings.env, parts)
  const { command } = found
  const agent = meteredProgram(variables, parts, async (session) => {
    const { settings: folderOfSettings, home: ownHome, remove } = await makeProgramFolders()
    try {
      const view = { hides: program.hides, shows: [folderOfSettings] }
      const inside = parts.walls.agentCommands(command, session.socketPath, view)
      const options: ProgramAgentOptions = {
        ...common(settings),
        program,
        command,
        model,
        commands: inside.commands,
        url: inside.url ?? session.url,
        token: session.token,
        home: inside.home ?? ownHome,
        settings: folderOfSettings,
        env: variables.given(session.token),
        spending: 'gateway',
        mask: session.maskText,
        isBusy: () => isBusy(session),
        hasResult: () => isOver(session),
        lastAnswer: () => session.activity.lastAnswer,
      }
      await writeSettings(launchOf(options, ''), folderOfSettings)
      return removedAfter(programAgent(options), remove)
    } catch (error) {
      await remove()
      throw error
    }
  })
  return { agent, used }
}

/** Asked behind the walls where its package does not say; never of a run on record. */
export async function versionOf(
  { command, version }: FoundProgram,
  { walls, place }: AgentParts,
): Promise<{ readonly version?: string }> {
  const isAsked = version === undefined && place.replay === undefined
  const known = isAsked ? await askWith(command, walls.commandsFor(command)) : version
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

export const modelOf = (
  program: AgentProgram,
  written: string | undefined,
  parts: AgentParts,
): Promise<string> =>
  (parts.place.replay === undefined ? chooseModel : modelWithout)(program, written, parts)

/** With its own home, login and settings, and without walls. */
function openOwn(
  settings: ProgramAgentSettings,
  program: AgentProgram,
  { command }: FoundProgram,
  parts: AgentParts,
): Agent {
  const own = withOwnLogin(program)
  if (own === undefined) throw onlyWalled(program)
  requireOwnLogin(program.name, parts)
  return programAgent({
    ...common(settings),
    program: own,
    command,
    model: modelFor(program, settings.model),
    commands: parts.walls.bareCommands,
    // It has its own of all of these.
    url: '',
    token: '',
    home: '',
    settings: '',
    env: passOn('the agent', settings.env, parts.environment, parts.problems),
    spending: 'subscription',
  })
}

const onlyWalled = ({ name, hides }: AgentProgram): LoopError =>
  new LoopError(
    'bad-loop-file',
    `${name} takes orders from files of the repository (${hides.join(', ')}), which only the sandbox ` +
      'hides from it. Take agent.subscription out, and use an API key.',
  )
