/** Which model an agent program is to ask for, and whose it is. */

import type { AgentProgram } from '../agents/index.ts'
import { LoopError } from '../loop/index.ts'

/** As the program is told: `provider/model` where it is of another provider than its usual one. */
export function modelFor(program: AgentProgram, written: string | undefined): string {
  if (written === undefined) return program.model
  const slash = written.indexOf('/')
  const provider = written.slice(0, Math.max(0, slash))
  if (provider === program.provider) return written.slice(slash + 1)
  if (!['anthropic', 'openai', 'google'].includes(provider)) return written
  if (isOfAnother(program, written)) return written
  throw new LoopError(
    'bad-request',
    `${program.name} asks models of ${program.provider}, and ${written} is one of ${provider}. ` +
      'Name another model, or another agent.',
  )
}

/** With its provider, for whoever looks for a key. */
export function wholeModel(program: AgentProgram, written: string | undefined): string {
  const model = modelFor(program, written)
  return isOfAnother(program, model) ? model : `${program.provider}/${model}`
}

const isOfAnother = ({ otherProviders = [] }: AgentProgram, model: string): boolean =>
  otherProviders.some((provider) => model.startsWith(`${provider}/`))
