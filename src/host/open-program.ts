/**
 * An agent program that is known: found, given a home and settings of its own, and led to its models through
 * the gateway. It never has a key, and nothing of it is left when its step is over.
 */

import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
import type { AgentParts } from './agent-parts.ts'
import { type FoundProgram, requireAgentProgram } from './agents/find-program.ts'
import {
  isBusy,
  isOver,
  meteredProgram,
  programVariables,
  requireWalledReplay,
} from './metered-program.ts'
import { requireKey } from './model-key.ts'
import { makeOwnFolder } from './own-folder.ts'
import { requireOwnLogin } from './own-login.ts'

export async function openProgram(
  settings: ProgramAgentSettings,
  parts: AgentParts,
): Promise<Agent> {
  const program = agentProgram(settings.program)
  const { folder } = parts.place
  const found = requireAgentProgram(program, { folder, environment: parts.environment })
  const model = modelFor(program, settings.model)
  if (settings.subscription) return openOwn(program, found, parts)
  if (parts.place.replay === undefined) {
    await requireKey({ model: `${program.provider}/${model}` }, parts)
  }
  requireWalledReplay(program.name, parts)
  const variables = programVariables(settings.env, parts)
  const { command } = found
  return meteredProgram(variables, parts, async (session) => {
    const { settings: folderOfSettings, home: ownHome, remove } = await makeFolders()
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
      }
      await writeSettings(options)
      return removedAfter(programAgent(options), remove)
    } catch (error) {
      await remove()
      throw error
    }
  })
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

/** As its provider calls it. One of another provider cannot be asked by this program. */
export function modelFor(program: AgentProgram, written: string | undefined): string {
  if (written === undefined) return program.model
  const slash = written.indexOf('/')
  const provider = written.slice(0, Math.max(0, slash))
  if (provider === program.provider) return written.slice(slash + 1)
  if (!['anthropic', 'openai', 'google'].includes(provider)) return written
  throw new LoopError(
    'bad-request',
    `${program.name} asks models of ${program.provider}, and ${written} is one of ${provider}. ` +
      'Name another model, or another agent.',
  )
}

interface Folders {
  readonly settings: string
  readonly home: string
  remove(): Promise<void>
}

/** In the temporary folder: what lies among sockets is not shown inside. */
async function makeFolders(): Promise<Folders> {
  const own = await makeOwnFolder(tmpdir())
  const settings = join(own.path, 'settings')
  const home = join(own.path, 'home')
  await mkdir(settings, { mode: 0o700 })
  await mkdir(home, { mode: 0o700 })
  return { settings, home, remove: own.remove }
}

async function writeSettings(options: ProgramAgentOptions): Promise<void> {
  for (const [name, text] of Object.entries(launchOf(options, '').settings ?? {})) {
    const file = join(options.settings, name)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text, { mode: 0o600 })
  }
}

const removedAfter = (agent: Agent, remove: () => Promise<void>): Agent => ({
  async work(task, context) {
    try {
      return await agent.work(task, context)
    } finally {
      await remove()
    }
  },
})
