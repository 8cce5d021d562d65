/** The program by which an agent speaks ACP: itself with other arguments, or one of another package. */

import type { AgentProgram } from '../../agents/index.ts'
import type { Wanted } from './find-program.ts'

/** Undefined where it does not. Both are fetched together. */
export function acpProgram({ name, acp }: AgentProgram): Wanted | undefined {
  return acp === undefined
    ? undefined
    : { name: acp.command, package: acp.package, fetchedAs: name }
}
