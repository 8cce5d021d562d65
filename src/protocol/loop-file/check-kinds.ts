/**
 * The kinds of checks, and the traits of each; code that runs or describes checks looks here. How each is written is in
 * `checks-schema.ts`; how it is run, in `launch/checks/kinds`.
 */

import type { AgentSettings, CheckSettings } from './loop-file.ts'

type Type = CheckSettings['type']
type OfType<T extends Type> = Extract<CheckSettings, { readonly type: T }>

interface CheckTraits<Settings> {
  /** It runs commands in the workspace. */
  readonly runsCommands: boolean
  /** The agent that it asks, which may only read, and the key that it is written under. */
  readonly agent?: { readonly key: string; of(check: Settings): AgentSettings }
  /** The tool that it calls, and the key that it is written under. */
  readonly tool?: { readonly key: string; of(check: Settings): string }
  /** What it does, for the person who is asked to trust it. */
  describe(name: string, check: Settings, words: CheckWords): string
}

/** How parts of a check are shown. */
export interface CheckWords {
  command(command: readonly string[]): string
  env(env: Readonly<Record<string, string>>): string
  agent(agent: AgentSettings): string
}

const kinds: { readonly [T in Type]: CheckTraits<OfType<T>> } = {
  command: {
    runsCommands: true,
    describe: (name, { command, env }, words) =>
      `runs the check ${name}: ${words.command(command)}${words.env(env)}`,
  },
  condition: {
    runsCommands: true,
    describe: (name, { condition, env }, words) =>
      `runs the check ${name}: the usual command for ${condition} in the project${words.env(env)}`,
  },
  tool: {
    runsCommands: false,
    tool: { key: 'tool', of: ({ tool }) => tool },
    describe: (name, { tool }) => `calls the tool ${tool} for the check ${name}`,
  },
  judge: {
    runsCommands: false,
    agent: { key: 'judge', of: ({ agent }) => agent },
    describe: (name, { agent }, words) =>
      `asks ${words.agent(agent)} to judge for the check ${name}`,
  },
}

/** The entry of a check, which takes that check. */
const traitsOf = ({ type }: CheckSettings): CheckTraits<CheckSettings> => kinds[type]

export const runsCommands = ({ type }: Pick<CheckSettings, 'type'>): boolean =>
  kinds[type].runsCommands

/** The agent that a check asks, which may only read. */
export const checkAgent = (
  check: CheckSettings,
): { readonly key: string; readonly agent: AgentSettings } | undefined => {
  const { agent } = traitsOf(check)
  return agent && { key: agent.key, agent: agent.of(check) }
}

/** The tool that a check calls. */
export const checkTool = (
  check: CheckSettings,
): { readonly key: string; readonly tool: string } | undefined => {
  const { tool } = traitsOf(check)
  return tool && { key: tool.key, tool: tool.of(check) }
}

export const describeCheckPower = (name: string, check: CheckSettings, words: CheckWords): string =>
  traitsOf(check).describe(name, check, words)
