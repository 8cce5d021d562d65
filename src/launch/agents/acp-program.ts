/** The program that speaks ACP for an agent: the agent itself with other arguments, or an adapter. */

import type { AgentProgram } from '../../agents/index.ts'
import type { ProgramToFind } from './find-program.ts'

/** Undefined if the agent does not speak ACP. Both programs are fetched together. */
export function acpProgram({ name, acp }: AgentProgram): ProgramToFind | undefined {
  return acp === undefined
    ? undefined
    : { name: acp.command, package: acp.package, fetchedAs: name }
}
