/**
 * Requires the program of an agent before a run starts or resumes. If it were missing later, the run would
 * fail for good, although the program may be available again soon.
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
  // A replay may not need it.
  if (place.replay !== undefined || isInstalled(program, place, environment['PATH'])) return
  const where = program.includes('/') ? '' : ' on the PATH'
  const message = `There is no program ${program}${where}, which is the agent of this loop.`
  const advice = 'Install it, or use another command. An interrupted run can then be resumed.'
  throw new LoopError('not-configured', `${message} ${advice}`)
}

function isInstalled(
  program: string,
  { workspace, sandboxPath }: AgentParts['place'],
  path: string | undefined,
): boolean {
  if (!program.includes('/')) return findProgram(program, path) !== undefined
  // A program in the workspace comes with its files, which may not exist yet.
  const isInWorkspace = [workspace, sandboxPath].some(
    (folder) => folder !== undefined && pathInside(folder, program) !== undefined,
  )
  return !isAbsolute(program) || isInWorkspace || existsSync(program)
}
