/**
 * Programs that somebody has logged in, without walls around them. Nobody vouches for what they run, so they
 * may edit files without asking and nothing else; and only those are here that flags alone keep from taking
 * orders from the repository.
 */

import type { AgentProgram, Launch, LaunchOptions, ProgramName } from './agent-program.ts'

type Start = (options: LaunchOptions, model: readonly string[]) => Launch

const starts: Readonly<Partial<Record<ProgramName, Start>>> = {
  claude: ({ prompt, turnsMax, args }, model) => ({
    args: [
      '--print',
      '--output-format=stream-json',
      '--verbose',
      ...model,
      '--setting-sources=user',
      '--strict-mcp-config',
      '--disable-slash-commands',
      '--permission-mode=acceptEdits',
      ...(turnsMax === undefined ? [] : [`--max-turns=${turnsMax}`]),
      ...args,
    ],
    env: {},
    input: /^\s*\//.test(prompt) ? `Task: ${prompt.trimStart()}` : prompt,
  }),
}

/** Undefined for a program that only walls can keep from the repository. */
export function withOwnLogin(program: AgentProgram): AgentProgram | undefined {
  const start = starts[program.name]
  if (start === undefined) return undefined
  return {
    ...program,
    launch(options) {
      // Which models a login has is its own business.
      const isChosen = options.model !== program.model
      return start(options, isChosen ? [`--model=${options.model}`] : [])
    },
  }
}
