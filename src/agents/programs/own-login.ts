/**
 * Programs that use the person's own login, without a sandbox. Their commands are not confined, so
 * they may edit files without asking and nothing else; and only programs are listed here that flags
 * alone keep from being configured by the repository.
 */

import type { AgentProgram, Launch, LaunchOptions, ProgramName } from './agent-program.ts'

type Start = (options: LaunchOptions, model: readonly string[]) => Launch

const launchers: Readonly<Partial<Record<ProgramName, Start>>> = {
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

/** Undefined for a program that needs a sandbox to be protected from the repository. */
export function withOwnLogin(program: AgentProgram): AgentProgram | undefined {
  const start = launchers[program.name]
  if (start === undefined) return undefined
  return {
    ...program,
    launch(options) {
      // The available models depend on the login.
      const isChosen = options.model !== program.model
      return start(options, isChosen ? [`--model=${options.model}`] : [])
    },
  }
}
