/** Chooses the model that an agent program uses. */

import { type AgentProgram, knownPrograms, type ModelProvider } from '../../agents/index.ts'
import { LoopError } from '../../loop/index.ts'
import { type KeyPlace, requireKey } from './require-key.ts'

/** In the format that the program expects. */
export type ProgramModel = string

const providers: readonly string[] = ['anthropic', 'openai', 'google'] satisfies ModelProvider[]

/**
 * Uses the model of the loop file, or else the usual one of the first provider with a key. Rejects with
 * `not-configured` if there is no key for it.
 */
export async function chooseModel(
  program: AgentProgram,
  written: string | undefined,
  place: KeyPlace,
): Promise<ProgramModel> {
  const model = await chooseModelWithoutKey(program, written, place)
  await requireKey({ model: toFullModelName(program, model) }, place)
  return model
}

/** The same without requiring a key, which a replay does not need. */
export const chooseModelWithoutKey = async (
  program: AgentProgram,
  written: string | undefined,
  place: KeyPlace,
): Promise<ProgramModel> =>
  written === undefined ? chooseUsualModel(program, place) : toProgramModel(program, written)

/** Adds the provider only if it is not the program's usual one. */
export function toProgramModel(program: AgentProgram, written: string | undefined): ProgramModel {
  if (written === undefined) return program.model
  const slash = written.indexOf('/')
  const provider = written.slice(0, Math.max(0, slash))
  if (provider === program.provider) return written.slice(slash + 1)
  const { otherProviders = [] } = program
  if (!providers.includes(provider) || otherProviders.some((other) => other === provider)) {
    return written
  }
  const supported = [program.provider, ...otherProviders].join(', ')
  throw new LoopError(
    'bad-request',
    `${program.name} supports models of ${supported}, and ${written} is one of ${provider}. ` +
      'Use another model or another agent.',
  )
}

async function chooseUsualModel(
  program: AgentProgram,
  { models }: KeyPlace,
): Promise<ProgramModel> {
  const { provider, otherProviders = [], model } = program
  if (otherProviders.length === 0 || (await models.hasKey(provider))) return model
  for (const other of otherProviders) {
    const usual = knownPrograms().find((one) => one.provider === other)?.model
    if (usual !== undefined && (await models.hasKey(other))) return `${other}/${usual}`
  }
  return model
}

const toFullModelName = (
  { provider, otherProviders = [] }: AgentProgram,
  model: ProgramModel,
): string =>
  otherProviders.some((other) => model.startsWith(`${other}/`)) ? model : `${provider}/${model}`
