/** The loop type `plain` for loop files: its keys, its role, and its loop. */

import {
  type CaptureLimits,
  type Condition,
  captureLimits,
  defaultRoles,
} from '../../loop/index.ts'
import {
  integer,
  isJsonObject,
  type JsonObject,
  key,
  keys,
  type LoopFile,
  makerRole,
  type PromptSection,
  promptSchema,
} from '../../protocol/index.ts'
import type { LoopTypeDefinition, PrepareOptions } from '../loop-type-definition.ts'
import { fromFile } from '../prompt-sections.ts'
import { checkPlainLoop, type PlainSettings, plainLoop } from './plain.ts'
import type { PlainProgress, PlainResult } from './plain-progress.ts'
import { plainSummary } from './plain-summary.ts'

/** The keys of a loop file that belong to `plain`. */
export interface PlainKeys {
  /** At least one. A prompt that is text becomes one section named `prompt`. */
  readonly prompt: readonly PromptSection[]
  readonly context: { readonly tokensMax: number }
  readonly progress: CaptureLimits
}

const defaultContextTokens = 100_000

const contextSchema = keys({
  tokens: key(
    integer(100, 100_000_000).prefault(defaultContextTokens),
    "The most tokens in the prompt; never more than the model's context window.",
  ),
}).transform(({ tokens }) => ({ tokensMax: tokens }))

const progressSchema = keys({
  entries: key(
    integer(1, 1000).prefault(captureLimits.entriesMax),
    'How many of the last iterations it covers.',
  ),
  chars: key(
    integer(1, 1_000_000).prefault(captureLimits.charsMax),
    'How many characters of each output it keeps, from the end. At least 4,000 for the newest iteration.',
  ),
}).transform(({ entries, chars }) => ({ entriesMax: entries, charsMax: chars }))

export const plainType: LoopTypeDefinition<PlainKeys> = {
  name: plainSummary.name,
  description: plainSummary.description,
  roles: {
    [makerRole]: {
      description: 'does the work',
      access: 'write',
      absent: 'refused',
      ...defaultRoles[makerRole],
    },
  },
  until: [{ type: 'checks-pass' }, { type: 'no-progress', iterations: 3 }],
  keys: {
    prompt: key(
      promptSchema.clone(),
      'The prompt of each iteration: a Liquid template, a template file, or a list of sections. Required for every agent except repair.',
      '{{ input.goal }}\n{{ progress }}',
      { file: 'prompt.md' },
    ),
    context: key(contextSchema.prefault({}), 'The maximum length of the prompt.', {
      tokens: 100_000,
    }),
    progress: key(
      progressSchema.prefault({}),
      'How much of the last iterations {{ progress }} includes.',
      { entries: 5, chars: 500 },
    ),
  },
  prompts: ({ prompt }) => ({ prompt }),
  complete: withDefaultPrompt,
  completes: ['prompt'],
  async prepare(file, given) {
    const settings = plainSettings(file, given)
    const { variables, first } = await checkPlainLoop(settings, given.input)
    return {
      loop: plainLoop(settings),
      variables,
      warnings: warnAboutMissingProgress(file, variables),
      firstPrompt: (beginning) => first(beginning).text,
    }
  },
}

function plainSettings(
  { name, until, agents, settings: { context, progress } }: LoopFile<PlainKeys>,
  { version, prompts }: PrepareOptions,
): PlainSettings {
  const prompt = fromFile(prompts['prompt'] ?? [])
  const isRepair = agents[makerRole]?.type === 'repair'
  return {
    name,
    version,
    prompt,
    context,
    progress,
    until: isRepair ? [...until, nothingLeft] : until,
  }
}

/** With the same files the repair agent would find nothing again. */
const nothingLeft: Condition<PlainProgress, PlainResult> = {
  type: 'custom',
  name: 'agent-blocked',
  ends: 'stuck',
  detail: 'the agent has nothing left to try',
  met: (_progress, { report }) => report.status === 'blocked',
}

/** The repair agent reads only the state of its search from the prompt. */
const repairPrompt = 'Make the checks pass.\n\n{{ progress }}'

/** Other agents still need a prompt. */
function withDefaultPrompt(written: JsonObject): JsonObject {
  const { prompt, agents } = written
  if (prompt !== undefined) return written
  const agent = written['agent'] ?? (isJsonObject(agents) ? agents[makerRole] : undefined)
  const isRepair = agent === 'repair' || (isJsonObject(agent) && Object.hasOwn(agent, 'repair'))
  return isRepair ? { ...written, prompt: repairPrompt } : written
}

/** The repair agent finds its earlier attempts only in `{{ progress }}`. */
function warnAboutMissingProgress(
  { agents }: LoopFile<PlainKeys>,
  variables: readonly string[],
): readonly string[] {
  const knows = variables.some((name) => name === 'progress' || name === 'agent_report')
  if (agents[makerRole]?.type !== 'repair' || knows) return []
  return [
    'prompt: without {{ progress }} the repair agent starts its search over in each iteration.',
  ]
}
