/** What comes before the maker: the level, the memory, the sources, and its prompt. */

import { type Assembled, FaultError, isLoopError } from '../../loop/index.ts'
import { type GatheredSource, outsideOf, renderGathered } from '../context/gather.ts'
import { createToken } from '../context/read-verdict.ts'
import type { RecalledMemories } from '../loop-ports.ts'
import { renderGoal } from './goal-file.ts'
import { commentNumbers } from './proposal.ts'
import { recallDefault } from './round-keys.ts'
import {
  describeEnding,
  describeMemories,
  promptTokensMax,
  toPromptValues,
} from './round-prompts.ts'
import type { Begun, RoundSession, RoundSources } from './round-session.ts'
import { decidedLabel } from './round-settings.ts'

type Unbegun = Omit<RoundSession, 'begun'>

export const begin = ({ it, settings }: Unbegun): Promise<Begun> =>
  it.step(
    'begin',
    () => {
      const { level = 2, ports, now = Date.now } = settings
      const effective = ports?.level ?? level
      return {
        level: effective < level ? effective : level,
        startedAtMs: now(),
        tree: it.workspace?.tree ?? null,
      }
    },
    { readOnly: true, role: 'round' },
  )

/** A failing memory, and a source that cannot be read, are warnings. */
export async function readSources(
  session: RoundSession,
): Promise<RoundSources & { readonly warnings: readonly string[] }> {
  const { memories, problem } = await recall(session)
  const gathered = await gather(session)
  const failed = gathered.filter(({ status }) => status === 'failed')
  return {
    memories,
    gathered,
    warnings: [
      ...(session.settings.ports?.notices ?? []),
      ...(problem === undefined ? [] : [problem]),
      ...failed.map(({ name, text }) => `${name} could not be read: ${text}`),
    ],
  }
}

async function recall({ it, settings }: RoundSession): Promise<RecalledMemories> {
  const { memory, ports, intent } = settings
  const remembered = ports?.memory
  if (memory === false || remembered === undefined) return { memories: [] }
  const limit = memory?.recall ?? recallDefault
  return it.step(
    'recall',
    async ({ signal }) => {
      try {
        return await remembered.recall({ limit, query: intent }, signal)
      } catch (error) {
        signal.throwIfAborted()
        return { memories: [], problem: describeFailure('recalled', error) }
      }
    },
    { readOnly: true, role: 'recall' },
  )
}

/** A memory of the user's own may reject. */
export const describeFailure = (what: string, error: unknown): string =>
  `The memory of the loop could not be ${what}: ${error instanceof Error ? error.message : String(error)}`

async function gather({ it, settings }: RoundSession): Promise<readonly GatheredSource[]> {
  const { gather: sources = [], ports } = settings
  const read = ports?.gather
  if (sources.length === 0 || read === undefined) return []
  return it.step('gather', ({ signal }) => read(sources, signal), {
    readOnly: true,
    role: 'gather',
  })
}

export interface WrittenPrompt extends Pick<Assembled, 'tokens' | 'sections' | 'cuts'> {
  readonly prompt: string
  readonly basis: string
  /** Only this prompt has it. */
  readonly proposalId: string
}

/** An error in a prompt is fatal: it would occur in every round. */
export const writePrompt = (session: RoundSession, sources: RoundSources): Promise<WrittenPrompt> =>
  session.it.step('prompt', () => write(session, sources), {
    readOnly: true,
    retry: { attempts: 1 },
    role: 'prompt',
  })

async function write(
  session: RoundSession,
  { memories, gathered }: RoundSources,
): Promise<WrittenPrompt> {
  const { it, prompts, settings, begun, input } = session
  try {
    const guidance = await it.guidance()
    const { name, intent, propose } = settings
    const values = {
      ...toPromptValues({ name, intent, level: begun.level, input }),
      goal: renderGoal(input),
    }
    const numbers = [...commentNumbers(settings, gathered)]
    const make = (memory: string, read: string, id: string): Assembled =>
      prompts.maker.write(
        {
          ...values,
          memory,
          gathered: read,
          ending: describeEnding(propose?.kind ?? 'report', numbers, id),
        },
        { tokensMax: promptTokensMax, guidance },
      )
    const proposalId = createToken()
    const { text, tokens, sections, cuts } = make(
      describeMemories(memories),
      renderGathered(gathered),
      proposalId,
    )
    return {
      prompt: text,
      tokens,
      sections,
      cuts,
      // E8. What earlier rounds found is nothing new, what people decided is. Sources count by their digests.
      basis: make(describeDecisions(memories), JSON.stringify(outsideOf(gathered)), '').text,
      proposalId,
    }
  } catch (error) {
    if (!isLoopError(error)) throw error
    const { code, message } = error
    throw new FaultError({ code, message, retryable: false, fatal: true }, { cause: error })
  }
}

const describeDecisions = (memories: RoundSources['memories']): string =>
  memories
    .filter(({ text }) => text.startsWith(decidedLabel))
    .map(({ id }) => id)
    .join(' ')
