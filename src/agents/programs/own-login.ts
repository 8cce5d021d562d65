/**
 * Programs that use the person's own login, without a sandbox. Their commands are not confined, so
 * they may edit files without asking and nothing else; and only programs can be started that flags
 * alone keep from being configured by the repository.
 */

import type { AgentProgram } from './agent-program.ts'

/** Undefined for a program that needs a sandbox to be protected from the repository. */
export function withOwnLogin(program: AgentProgram): AgentProgram | undefined {
  const { launchWithOwnLogin: start } = program
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
