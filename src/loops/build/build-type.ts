/** The loop type `build` for loop files: its keys, its roles, and its loop. */

import { z } from 'zod'
import { defined, type RetryPolicy, specSlug, toSlug } from '../../loop/index.ts'
import {
  innerPath,
  integer,
  key,
  keys,
  type LoopFile,
  list,
  makerRole,
  type PromptSection,
  promptSchema,
  text,
} from '../../protocol/index.ts'
import type { MeasureSettings } from '../context/measure.ts'
import type { LoopTypeDefinition, PrepareOptions } from '../loop-type-definition.ts'
import { fromFile } from '../prompt-sections.ts'
import { buildInputs, captureInput, plansFolder, readBuildInput } from './build-input.ts'
import { buildLoop, createBuildContext, createPrompts } from './build-loop.ts'
import { buildPanels } from './build-panels.ts'
import { promptTokensMax, promptVariables, toValues } from './build-prompt.ts'
import type { BuildSettings } from './build-session.ts'
import { buildSummary } from './build-summary.ts'
import { type CompletionSettings, completionDefaults } from './completion-hint.ts'
import {
  measureSchema,
  type RetryKeys,
  retrySchema,
  type SkillKeys,
  skillsSchema,
} from './knowledge-keys.ts'
import { chooseTask } from './sealed-plan.ts'

/** The keys of a loop file that belong to `build`. */
export interface BuildKeys {
  readonly spec: string | undefined
  readonly plan: string | undefined
  readonly prompt: readonly PromptSection[] | undefined
  readonly review: false | { readonly failures: number; readonly prompt?: readonly PromptSection[] }
  readonly verification: { readonly failures: number }
  readonly watchdog: false | { readonly rewrites: number }
  readonly completion: CompletionSettings
  readonly plans: string
  readonly contextFiles: readonly string[]
  readonly learnings: false | string
  readonly skills: SkillKeys
  readonly measure: MeasureSettings | undefined
  readonly retry: RetryKeys | undefined
}

const failuresDefault = 3
const rewritesDefault = 2

const failures = (what: string) =>
  key(integer(1, 100).prefault(failuresDefault), `How many ${what} in a row end the run as stuck.`)

const reviewSchema = z.union([
  z.boolean().transform((isOn): BuildKeys['review'] => isOn && { failures: failuresDefault }),
  keys({
    failures: failures('reviews that do not pass'),
    prompt: key(
      promptSchema.clone().exactOptional(),
      'Replaces the built-in instructions of the reviewer. The diff, the report and the form of the verdict are added to it.',
      { file: 'review.md' },
    ),
  }),
])

const watchdogSchema = z.union([
  z.boolean().transform((isOn): BuildKeys['watchdog'] => isOn && { rewrites: rewritesDefault }),
  keys({
    rewrites: key(
      integer(0, 20).prefault(rewritesDefault),
      'How often the watchdog may change the prompt of the next iteration. The next signal ends the run as stuck.',
    ),
  }),
])

const completionSchema = keys({
  token: key(
    text(200).prefault(completionDefaults.token),
    'What an agent prints when it believes that everything is done.',
  ),
  mode: key(
    z.enum(['trailing', 'exact']).prefault(completionDefaults.mode),
    'trailing: the last line of its answer is the token. exact: the whole answer is.',
  ),
})

const filePath = () => innerPath('the path of a file, from the root of the workspace')

export const buildType: LoopTypeDefinition<BuildKeys> = {
  name: buildSummary.name,
  description: buildSummary.description,
  roles: {
    [makerRole]: {
      description: 'implements the tasks',
      access: 'write',
      absent: 'refused',
      label: 'impl',
      reports: true,
      phase: 'implementation',
    },
    reviewer: {
      description: 'reviews each task in a fresh context, read-only',
      access: 'read',
      absent: { sameAs: makerRole },
      label: 'review',
      phase: 'review',
    },
  },
  unusedRoles: ({ review }) => (review === false ? ['reviewer'] : []),
  problems: ({ agents, settings: { review } }) =>
    review === false && agents['reviewer'] !== undefined
      ? [
          {
            path: ['agents', 'reviewer'],
            reason: 'with review: false there is no review: remove one of the two',
          },
        ]
      : [],
  until: [{ type: 'checks-pass' }],
  actions: [{ kind: 'merge', strategy: 'squash', isDefault: true }],
  // A long plan changes many files; one task should not.
  escalate: { filesPer: 'iteration' },
  mergesWhenCertified: true,
  mergeInto(file, input) {
    const { spec } = readBuildInput(input)
    return `agent/${spec === undefined ? toSlug(file.name) : specSlug(spec.path)}`
  },
  keys: {
    spec: key(
      filePath().optional(),
      'The specification to build, from the root of the workspace. The command line overrides it.',
      'specs/shop.md',
    ),
    plan: key(
      filePath().optional(),
      'The plan: a Markdown list of tasks. Default: specs/planning/<spec>-plan.md, then a list in the spec, then one that the agent drafts.',
      'specs/planning/shop-plan.md',
    ),
    prompt: key(
      promptSchema.clone().optional(),
      'Replaces the built-in prompt of the maker: a Liquid template, a template file, or a list of sections.',
      { file: 'prompt.md' },
    ),
    review: key(
      reviewSchema.prefault({}),
      'The review of each task by another agent: its settings, or false for none.',
      { failures: 3 },
      false,
    ),
    verification: key(
      keys({ failures: failures('verifications that fail') }).prefault({}),
      'When failing checks end the run.',
      { failures: 3 },
    ),
    watchdog: key(
      watchdogSchema.prefault({}),
      'What happens when iterations repeat themselves: its settings, or false for none.',
      { rewrites: 2 },
      false,
    ),
    completion: key(
      completionSchema.prefault({}),
      'The completion token of agents. It is recorded as a hint and ends nothing.',
      { token: '<promise>COMPLETE</promise>', mode: 'trailing' },
    ),
    plans: key(
      innerPath('the path of a folder, from the root of the workspace').prefault(plansFolder),
      'The folder of plans that are named after their spec.',
      'specs/planning',
    ),
    learnings: key(
      z.union([z.literal(false), filePath()]).prefault('specs/LEARNINGS.md'),
      'The file with what runs learned, which the engine writes and prompts contain; or false for none.',
      'specs/LEARNINGS.md',
      false,
    ),
    skills: key(
      skillsSchema.prefault(false),
      'Puts the skills that fit a task into prompts: true, or settings.',
      true,
      { dirs: ['.claude/skills'] },
    ),
    measure: key(
      measureSchema.optional(),
      'A command that measures the work of each iteration, in the sandbox. It writes JSON to the file LOOP_METRICS_OUT.',
      'npm run --silent measure',
    ),
    retry: key(
      retrySchema.optional(),
      'How often an agent is started again after a temporary fault.',
      { times: 2, delay: '5s' },
    ),
    contextFiles: key(
      list(filePath(), 'a list of paths', { max: 20 }).prefault([]),
      'Files of the workspace whose text is part of every prompt of the maker.',
      ['docs/style.md'],
    ),
  },
  prompts: ({ prompt, review }) =>
    defined({ prompt, review: review === false ? undefined : review.prompt }),
  panels: buildPanels,
  inputs: buildInputs,
  completeInput: (file, input, read) => captureInput(file.settings, input, read),
  async prepare(file, given) {
    const settings = toSettings(file, given)
    const { variables, firstPrompt } = await checkBuild(settings, given.input)
    return { loop: buildLoop(settings), variables, warnings: [], firstPrompt }
  },
}

function toSettings(
  { name, until, settings }: LoopFile<BuildKeys>,
  { version, prompts, ports }: PrepareOptions,
): BuildSettings {
  const { review, plan, plans, verification, watchdog, completion, contextFiles } = settings
  const { learnings, skills, measure, retry } = settings
  const read = (prompt: 'prompt' | 'review') => {
    const sections = prompts[prompt]
    return sections === undefined || sections.length === 0 ? undefined : fromFile(sections)
  }
  return {
    name,
    version,
    ...defined({ plan, prompt: read('prompt') }),
    review:
      review === false
        ? false
        : { failures: review.failures, ...defined({ prompt: read('review') }) },
    verification,
    watchdog,
    completion,
    contextFiles,
    plans,
    ...(learnings === false ? {} : { learnings }),
    ...(skills === false ? {} : { skills }),
    ...(retry === undefined ? {} : { retry: toRetry(retry) }),
    ...defined({ measure, ports }),
    until,
  }
}

const toRetry = ({ times, delayMs }: RetryKeys): Partial<RetryPolicy> => ({
  attempts: times + 1,
  ...defined({ firstDelayMs: delayMs }),
})

/** Finds problems in the prompts before a run starts. */
async function checkBuild(
  settings: BuildSettings,
  input: PrepareOptions['input'],
): Promise<{ readonly variables: readonly string[]; firstPrompt(): string }> {
  const prompts = await createPrompts(settings)
  prompts.maker.check(promptVariables)
  prompts.reviewer.check(promptVariables)
  const context = createBuildContext(settings, input, undefined)
  const isReviewed = settings.review !== false
  const firstPrompt = (): string => {
    const choice = chooseTask(context.progress.plan, isReviewed, [])
    const values = toValues({ ...context, isReviewed }, { iteration: 1, choice })
    return prompts.maker.write(values, { tokensMax: promptTokensMax }).text
  }
  firstPrompt()
  return { variables: prompts.maker.variables, firstPrompt }
}
