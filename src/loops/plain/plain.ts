/**
 * The simplest loop type: a prompt, an agent, checks; repeated until the checks pass.
 *
 *   iteration
 *   ├─ prompt         written from the input and the progress, recorded with what was cut
 *   ├─ agent:maker    works; its report is a claim
 *   ├─ check:…        every check of the run, on the tree that the agent left
 *   ├─ changes        the changed files, if they can be determined
 *   └─ certify:…      by the engine, once the checks pass. The next prompt reports a refusal
 *
 * E3. A prompt knows the input, the progress, and the remaining budget. E5. Whatever the agent
 * claims, only checks and a certificate end a run as completed.
 */

import {
  type Assembled,
  type CaptureLimits,
  type Condition,
  captureLimits,
  defined,
  FaultError,
  type Iteration,
  isLoopError,
  type Json,
  type LoopType,
  type TreeId,
} from '../../loop/index.ts'
import { type PromptSection, toSections } from '../prompt-sections.ts'
import {
  addResult,
  countUnchanged,
  type PlainProgress,
  type PlainResult,
} from './plain-progress.ts'
import {
  createPrompt,
  type IterationInfo,
  type PlainContext,
  type PlainInput,
  type Prompt,
} from './plain-prompt.ts'

/** Settings of `plainLoop`. */
export interface PlainSettings {
  /** Default: `plain`. */
  readonly name?: string
  /** Digest of the source of the settings. Default: the settings themselves. */
  readonly version?: string
  /** A Liquid template, or sections, each of which is one. */
  readonly prompt: string | readonly PromptSection[]
  /** The maximum length of a prompt. Default: 100,000 tokens. */
  readonly context?: { readonly tokensMax: number }
  /**
   * How much of an iteration later prompts include. Default: 5 entries, 500 characters of each output.
   */
  readonly progress?: Partial<CaptureLimits>
  /** Default: the checks pass, or nothing changed for 3 iterations. */
  readonly until?: readonly Condition<PlainProgress, PlainResult>[]
  /** Passed to the agent with each task. */
  readonly agent?: { readonly [key: string]: Json }
}

/** The loop type of loop files: one prompt, one agent, then the checks. Made by `plainLoop`. */
export type PlainLoop = LoopType<PlainInput, PlainContext, PlainProgress, PlainResult>

export const plainUntil: readonly Condition<PlainProgress, PlainResult>[] = [
  { type: 'checks-pass' },
  { type: 'no-progress', iterations: 3 },
]

const contextTokensMax = 100_000

/** The result of the step `prompt`. */
export interface PromptStepResult extends Pick<Assembled, 'tokens' | 'sections' | 'cuts'> {
  readonly prompt: string
  /** The files that the agent starts from. */
  readonly tree: TreeId | null
}

/** The loop type of loop files, for use in code. */
export function plainLoop(settings: PlainSettings): PlainLoop {
  const limits = { ...captureLimits, ...settings.progress }
  const prompt = memoize(() => createPrompt(toSections(settings.prompt)))
  return {
    name: settings.name ?? 'plain',
    version: settings.version ?? JSON.stringify(settings),
    revision: 1,
    createContext: (input, previous) => ({ input: input ?? {}, previous }),
    async iterate(context, it) {
      const written = await it.step('prompt', () => writePrompt(settings, prompt, context, it), {
        readOnly: true,
        retry: { attempts: 1 },
        role: 'prompt',
      })
      const agentSettings = defined({ settings: settings.agent })
      const report = await it.agent('maker', { prompt: written.prompt, ...agentSettings })
      const checks = await it.check()
      const before = written.tree ?? undefined
      // The tree that was checked, also when the iteration is resumed.
      const after = checks.at(-1)?.tree ?? it.workspace?.tree
      const filesChanged = await readChanges(it, before, after)
      return {
        iteration: it.number,
        report,
        checks,
        ...defined({ filesChanged, before, after }),
      }
    },
    extractProgress: (result, previous, { refusals }) =>
      addResult(previous, result, limits, refusals),
    until: (settings.until ?? plainUntil).map(countUnchanged),
  }
}

/**
 * Finds problems in a prompt before a run starts: syntax, unknown variables in any branch, and, by
 * rendering it twice, other errors that a first or a later iteration would hit.
 */
export async function checkPlainLoop(
  settings: PlainSettings,
  input: PlainInput,
): Promise<PlainLoopCheck> {
  const prompt = await createPrompt(toSections(settings.prompt))
  prompt.check(input)
  const tokensMax = settings.context?.tokensMax ?? contextTokensMax
  const write = (info: IterationInfo, previous: PlainProgress | undefined): Assembled =>
    prompt.write({ input: input ?? {}, previous }, info, tokensMax)
  const remaining = { iterations: 1, tokens: 1, costMicros: 1, timeMs: 1 }
  const sampleMoment = { workspace: '.', remaining, failedBefore: ['test'] }
  write({ iteration: 2, ...sampleMoment }, sampleProgress)
  write({ iteration: 1, ...sampleMoment }, undefined)
  return {
    variables: prompt.variables,
    first: (beginning) => write({ iteration: 1, ...beginning }, undefined),
  }
}

export interface PlainLoopCheck {
  readonly variables: readonly string[]
  /** The prompt of the first iteration. */
  first(beginning: Omit<IterationInfo, 'iteration'>): Assembled
}

/** Progress in which every part is present. */
const sampleProgress: PlainProgress = {
  entries: [
    {
      iteration: 1,
      times: 1,
      agent: { status: 'done', text: 'text' },
      checks: [{ check: 'test', status: 'not-met', exitCode: 1, durationMs: 1, output: 'text' }],
      filesChanged: ['file'],
      refusals: [{ code: 'flaky', message: 'text', check: 'test', findings: [] }],
    },
  ],
  unchanged: 0,
}

/** An error in a prompt is fatal: it would occur in every iteration. */
async function writePrompt(
  settings: PlainSettings,
  prompt: () => Promise<Prompt>,
  context: PlainContext,
  it: Iteration,
): Promise<PromptStepResult> {
  try {
    const { workspace } = it
    const info = {
      iteration: it.number,
      workspace: workspace?.path ?? '',
      remaining: it.budget.remaining(),
      failedBefore: it.failedBefore ?? [],
      guidance: await it.guidance(),
    }
    const tokensMax = settings.context?.tokensMax ?? contextTokensMax
    const { text, tokens, sections, cuts } = (await prompt()).write(context, info, tokensMax)
    return { prompt: text, tokens, sections, cuts, tree: workspace?.tree ?? null }
  } catch (error) {
    if (!isLoopError(error)) throw error
    const { code, message } = error
    throw new FaultError({ code, message, retryable: false, fatal: true }, { cause: error })
  }
}

async function readChanges(
  it: Iteration,
  before: TreeId | undefined,
  after: TreeId | undefined,
): Promise<readonly string[] | undefined> {
  const { workspace } = it
  if (workspace === undefined || before === undefined || after === undefined) return undefined
  if (before === after) return []
  // Prompts work without it; the run must not fail because of it.
  const read = async (): Promise<readonly string[] | null> =>
    workspace.changedSince(before).catch(() => null)
  return (await it.step('changes', read, { readOnly: true, role: 'changes' })) ?? undefined
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= make())
}
