/** The known agent programs, by name. To add one: a file here, a line below, and its name in `loop/names/program-names.ts`. */

import { type ProgramName, programNames } from '../../loop/index.ts'
import type { AgentProgram } from './agent-program.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'

const programs: Readonly<Record<ProgramName, AgentProgram>> = { claude, codex, opencode, gemini }

/** Every known agent program. */
export const knownPrograms = (): readonly AgentProgram[] =>
  programNames.map((name) => programs[name])

export const isProgramName = (name: string): name is ProgramName =>
  programNames.some((known) => known === name)

/** The description of a known agent program. */
export const agentProgram = (name: ProgramName): AgentProgram => programs[name]
