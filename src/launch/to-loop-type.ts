/** From a loop that was read to what the engine and the user see of it. Opens nothing. */

import type { AnyLoopType } from '../engine/index.ts'
import { defined, type Limits, LoopError } from '../loop/index.ts'
import { type LoopTypeDefinition, loopTypes, type PreparedLoop } from '../loops/index.ts'
import type { LoopPorts } from '../loops/loop-ports.ts'
import type { Readiness } from '../loops/loop-type-definition.ts'
import { defaultLoopType, isJsonObject, type LoopFile, unknownName } from '../protocol/index.ts'
import type { LoadedLoop, TypedLoop } from './loaded-loop.ts'
import type { OutsideUse } from './preflight/check-sources.ts'

/**
 * The loop type of a loop, for creating a run. If it is code, it cannot iterate: only `openLoop` returns one whose
 * process can start.
 */
export async function toLoopType(
  { definition, input }: Pick<LoadedLoop, 'definition' | 'input'>,
  types: readonly LoopTypeDefinition[] = loopTypes,
  ports?: LoopPorts,
): Promise<AnyLoopType> {
  if (definition.typed === undefined) {
    const { closedCodeLoopType } = await import('./code-loop/index.ts')
    return closedCodeLoopType(definition.scanned, definition.described)
  }
  const { typed, file } = definition
  const type = findType(typed, types)
  return withType((await prepare(type, typed, file, input, ports)).loop, type, file)
}

/** The first prompt that the agent would get; undefined if it is known only when the loop runs. */
export async function firstPrompt(
  { definition, input }: Pick<LoadedLoop, 'definition' | 'input'>,
  { iterations, tokens, costMicros, timeMs }: Limits,
  workspace: string,
  types: readonly LoopTypeDefinition[] = loopTypes,
): Promise<string | undefined> {
  const { typed, file } = definition
  if (typed === undefined) return undefined
  const prepared = await prepare(findType(typed, types), typed, file, input)
  return prepared.firstPrompt({ workspace, remaining: { iterations, tokens, costMicros, timeMs } })
}

/** The branch that the loop type chooses for the work of this run. Undefined: it chooses none. */
export function mergeBranchOf(
  { definition, input }: Pick<LoadedLoop, 'definition' | 'input'>,
  types: readonly LoopTypeDefinition[] = loopTypes,
): string | undefined {
  const { typed, file } = definition
  if (typed === undefined) return undefined
  return findType(typed, types).mergeInto?.(file, isJsonObject(input) ? input : {})
}

const prepare = (
  type: LoopTypeDefinition,
  { version, prompts }: TypedLoop,
  file: LoopFile,
  input: LoadedLoop['input'],
  ports?: LoopPorts,
): Promise<PreparedLoop> =>
  type.prepare(file, {
    version,
    prompts,
    input: isJsonObject(input) ? input : {},
    ...defined({ ports }),
  })

/** How ready its file is, by its loop type. Undefined: the type does not say. */
export function readinessOf(
  { definition: { typed, file } }: Pick<LoadedLoop, 'definition'>,
  types: readonly LoopTypeDefinition[] = loopTypes,
): Readiness | undefined {
  return typed && findType(typed, types).audit?.(file)
}

/** What the loop type says about escalation. */
export const thresholdsOf = (
  { typed }: LoadedLoop['definition'],
  types: readonly LoopTypeDefinition[] = loopTypes,
): LoopTypeDefinition['escalate'] => typed && findType(typed, types).escalate

/** The kinds of actions that its runs propose: what its levels are about. Code may propose any other. */
export const proposedKinds = ({
  definition: {
    file: { actions, proposes },
  },
}: Pick<LoadedLoop, 'definition'>): readonly string[] => [
  ...new Set([...actions, ...(proposes === undefined ? [] : [proposes])].map(({ kind }) => kind)),
]

/** The role that judges the work of the loop, and what it is asked. Undefined: only its checks do. */
export const judgeOf = (
  { definition: { typed, file } }: Pick<LoadedLoop, 'definition'>,
  types: readonly LoopTypeDefinition[] = loopTypes,
): { readonly role: string; readonly prompt: string } | undefined =>
  typed && findType(typed, types).judge?.(file, typed.prompts)

/** What a run reads besides its files, and which actions it may perform: none at level 1. */
export function outsideUseOf(
  { definition: { typed, file } }: Pick<LoadedLoop, 'definition'>,
  types: readonly LoopTypeDefinition[] = loopTypes,
): OutsideUse {
  const { actions, level, proposes, settings } = file
  const sources = typed === undefined ? [] : findType(typed, types).gathers?.(settings)
  const performed = [...actions, ...(proposes === undefined ? [] : [proposes])]
  return { sources: sources ?? [], actions: level === 1 ? [] : performed }
}

function findType(
  { loopType }: TypedLoop,
  types: readonly LoopTypeDefinition[],
): LoopTypeDefinition {
  const found = types.find(({ name }) => name === loopType)
  if (found !== undefined) return found
  const known = types.map(({ name }) => name)
  throw new LoopError('not-available', unknownName('loop type', loopType, known))
}

/** The loop type of a run and the appearance of its agents are stored with the run, except for `plain`. */
function withType(
  loop: AnyLoopType,
  { name: type, roles }: LoopTypeDefinition,
  { agents }: LoopFile,
): AnyLoopType {
  if (type === defaultLoopType) return loop
  if (roles === 'any') return { ...loop, type }
  const shown = Object.entries(roles).map(
    ([role, { label, reports, phase = 'implementation', absent }]) => {
      const other = typeof absent === 'object' ? absent.sameAs : undefined
      const sharedWith = other !== undefined && agents[role] === agents[other] ? other : undefined
      return [role, defined({ label, reports, phase, sharedWith })]
    },
  )
  return { ...loop, type, roles: Object.fromEntries(shown) }
}
