/** The agent programs that are known, by name. */

import { LoopError } from '../../loop/index.ts'
import { type AgentProgram, type ProgramName, programNames } from './agent-program.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'

const programs: Readonly<Partial<Record<ProgramName, AgentProgram>>> = { claude, codex }

/** Those that can be started. */
export const knownPrograms = (): readonly AgentProgram[] =>
  programNames.flatMap((name) => programs[name] ?? [])

export const isProgramName = (name: string): name is ProgramName =>
  programNames.some((known) => known === name)

export function agentProgram(name: ProgramName): AgentProgram {
  const program = programs[name]
  if (program !== undefined) return program
  const message = `There is no agent program "${name}". There are: ${programNames.join(', ')}.`
  throw new LoopError('not-configured', message)
}
