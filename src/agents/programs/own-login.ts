/**
 * Programs with a login of the user, without a sandbox around them. Nobody vouches for what they run, so they may edit
 * files without asking and nothing else; and only those can be started so that flags alone keep from taking orders
 * from the repository.
 */

import type { AgentProgram } from './agent-program.ts'

/** Undefined for a program that only a sandbox can keep from the repository. */
export function withOwnLogin(program: AgentProgram): AgentProgram | undefined {
  const { launchWithOwnLogin: start } = program
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
