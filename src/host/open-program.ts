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
} from '../agents/index.ts'
import { LoopError } from '../loop/index.ts'
import type { ProgramAgentSettings } from '../protocol/index.ts'
import type { AgentParts, OpenedAgent } from './agent-parts.ts'
import { askWith } from './agents/ask-version.ts'
import { type FoundProgram, requireAgentProgram } from './agents/find-program.ts'
import {
  isBusy,
  isOver,
  meteredProgram,
  programVariables,
  requireWalledReplay,
} from './metered-program.ts'
import { requireKey } from './model-key.ts'
import { requireOwnLogin } from './own-login.ts'
import { makeProgramFolders, removedAfter, writeSettings } from './program-folders.ts'
import { modelFor, wholeModel } from './program-model.ts'

export async function openProgram(
  settings: ProgramAgentSettings,
  parts: AgentParts,
): Promise<OpenedAgent> {
  const program = agentProgram(settings.program)
  const { folder } = parts.place
  const found = requireAgentProgram(program, { folder, environment: parts.environment })
  const model = modelFor(program, settings.model)
  const used = {
    ...(await versionOf(found, parts)),
    name: program.name,
    protocol: 'headless',
  } as const
  if (settings.subscription) return { agent: openOwn(program, found, parts), used }
  if (parts.place.replay === undefined) {
    await requireKey({ model: wholeModel(program, settings.model) }, parts)
  }
  requireWalledReplay(program.name, parts)
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
  return known === undefined ? {} : { version: known }
}

const common = ({
  args,
  timeoutMs,
  idleMs,
  turnsMax,
}: ProgramAgentSettings): Pick<
  ProgramAgentOptions,
  'args' | 'timeoutMs' | 'idleMs' | 'turnsMax'
> => ({ args, timeoutMs, idleMs, ...(turnsMax === undefined ? {} : { turnsMax }) })

/** With its own home, login and settings, and without walls. */
function openOwn(program: AgentProgram, { command }: FoundProgram, parts: AgentParts): Agent {
  requireOwnLogin(program.name, parts)
  throw new LoopError(
    'not-available',
    `${program.name} with a login of its own is given as a command for now: agent: { command: ` +
      `[${command.join(', ')}, …], subscription: true }`,
  )
}
