/**
 * That the program of an agent is there, before a run starts or goes on. One that is missing when it is
 * needed would end the run for good, and it may be back a minute later.
 */

import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import { findProgram } from '../../sandbox/index.ts'
import { pathInside } from '../../system/index.ts'
import type { AgentParts } from './agent-parts.ts'

export function requireCommand(
  [program = '']: readonly string[],
  { place, environment }: Pick<AgentParts, 'place' | 'environment'>,
): void {
  // A replay may come to its end without it.
  if (place.replay !== undefined || isThere(program, place, environment['PATH'])) return
  const where = program.includes('/') ? '' : ' on the PATH'
  const message = `There is no program ${program}${where}. It is the agent of this loop:`
  const advice =
    'install it or put it back, or give another command. A run that was begun can be resumed then.'
  throw new LoopError('not-configured', `${message} ${advice}`)
}

function isThere(
  program: string,
  { workspace, shownAs }: AgentParts['place'],
  path: string | undefined,
): boolean {
  if (!program.includes('/')) return findProgram(program, path) !== undefined
  // What is in the workspace comes with its files, which may not be in place yet.
  const isWork = [workspace, shownAs].some(
    (folder) => folder !== undefined && pathInside(folder, program) !== undefined,
  )
  return !isAbsolute(program) || isWork || existsSync(program)
}
