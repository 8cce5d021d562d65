/** Which model an agent program is told to use, and whose it is. */

import { type AgentProgram, knownPrograms, type ModelProvider } from '../../agents/index.ts'
import { LoopError } from '../../loop/index.ts'
import { type KeyPlace, requireKey } from './model-key.ts'

/** As the program is told it. */
export type ProgramModel = string

const providers: readonly string[] = ['anthropic', 'openai', 'google'] satisfies ModelProvider[]

/**
 * The one that is written; else the usual one of the first provider that there is a key for. Rejects with
 * `not-configured` where there is no key for it.
 */
export async function chooseModel(
  program: AgentProgram,
  written: string | undefined,
  place: KeyPlace,
): Promise<ProgramModel> {
  const model = await modelWithout(program, written, place)
  await requireKey({ model: wholeName(program, model) }, place)
  return model
}

/** The same, for those who ask nobody: what is on record needs no key. */
export const modelWithout = async (
  program: AgentProgram,
  written: string | undefined,
  place: KeyPlace,
): Promise<ProgramModel> =>
  written === undefined ? usualModel(program, place) : modelFor(program, written)

/** As its provider calls it, or with the provider where that is another than its usual one. */
export function modelFor(program: AgentProgram, written: string | undefined): ProgramModel {
  if (written === undefined) return program.model
  const slash = written.indexOf('/')
  const provider = written.slice(0, Math.max(0, slash))
  if (provider === program.provider) return written.slice(slash + 1)
  const { otherProviders = [] } = program
  if (!providers.includes(provider) || otherProviders.some((other) => other === provider)) {
    return written
  }
  const asked = [program.provider, ...otherProviders].join(', ')
  throw new LoopError(
    'bad-request',
    `${program.name} asks models of ${asked}, and ${written} is one of ${provider}. ` +
      'Name another model, or another agent.',
  )
}

async function usualModel(program: AgentProgram, { models }: KeyPlace): Promise<ProgramModel> {
  const { provider, otherProviders = [], model } = program
  if (otherProviders.length === 0 || (await models.hasKey(provider))) return model
  for (const other of otherProviders) {
    const usual = knownPrograms().find((one) => one.provider === other)?.model
    if (usual !== undefined && (await models.hasKey(other))) return `${other}/${usual}`
  }
  return model
}

const wholeName = ({ provider, otherProviders = [] }: AgentProgram, model: ProgramModel): string =>
  otherProviders.some((other) => model.startsWith(`${other}/`)) ? model : `${provider}/${model}`
