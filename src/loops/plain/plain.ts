/**
 * The loop type of document 000: a prompt, an agent, checks; again until the checks pass.
 *
 *   iteration
 *   ├─ prompt         written from the input and the progress, kept with what was cut of it
 *   ├─ agent:maker    works; what it says is a claim
 *   ├─ check:…        every check of the run, on the tree that the agent left
 *   ├─ changes        which files it changed, where somebody can tell
 *   └─ certify:…      the engine's: once the checks pass. What it refuses, the next prompt tells
 *
 * E3. A prompt knows the input, the progress, and what is left of the budget. E5. Whatever the agent
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
import { addResult, type PlainProgress, type PlainResult, stuckByCount } from './plain-progress.ts'
import {
  createPrompt,
  type Moment,
  type PlainContext,
  type PlainInput,
  type Prompt,
  type PromptSection,
  sectionsOf,
} from './plain-prompt.ts'

export interface PlainSettings {
  /** `plain` unless told. */
  readonly name?: string
  /** Digest of whatever the settings came from. Without one they are their own. */
  readonly version?: string
  /** A Liquid template, or sections of which each is one. */
  readonly prompt: string | readonly PromptSection[]
  /** How long a prompt may get; 100,000 tokens unless told. */
  readonly context?: { readonly tokensMax: number }
  /** What of an iteration the next ones are told; 5 entries, 500 characters of each output. */
  readonly progress?: Partial<CaptureLimits>
  /** The checks pass, or nothing changed for 3 iterations, unless told. */
  readonly until?: readonly Condition<PlainProgress, PlainResult>[]
  /** Handed to the agent with each task. */
  readonly agent?: { readonly [key: string]: Json }
}

export type PlainLoop = LoopType<PlainInput, PlainContext, PlainProgress, PlainResult>

export const plainUntil: readonly Condition<PlainProgress, PlainResult>[] = [
  { type: 'checks-pass' },
  { type: 'no-progress', iterations: 3 },
]

const contextTokensMax = 100_000

/** What the step `prompt` keeps. */
export interface WrittenPrompt extends Pick<Assembled, 'tokens' | 'sections' | 'cuts'> {
  readonly prompt: string
  /** The files that the agent starts from. */
  readonly tree: TreeId | null
}

export function plainLoop(settings: PlainSettings): PlainLoop {
  const limits = { ...captureLimits, ...settings.progress }
  const prompt = once(() => createPrompt(sectionsOf(settings.prompt)))
  return {
    name: settings.name ?? 'plain',
    version: settings.version ?? JSON.stringify(settings),
    createContext: (input, previous) => ({ input: input ?? {}, previous }),
    async iterate(context, it) {
      const written = await it.step('prompt', () => writePrompt(settings, prompt, context, it), {
        readOnly: true,
        retry: { attempts: 1 },
      })
      const given = defined({ settings: settings.agent })
      const report = await it.agent('maker', { prompt: written.prompt, ...given })
      const checks = await it.check()
      const before = written.tree ?? undefined
      // The tree that was checked, also when the iteration is entered again.
      const after = checks.at(-1)?.tree ?? it.workspace?.tree
      const filesChanged = await changesOf(it, before, after)
      return {
        iteration: it.number,
        report,
        checks,
        ...defined({ filesChanged, before, after }),
      }
    },
    extractProgress: (result, previous, { refusals }) =>
      addResult(previous, result, limits, refusals),
    until: (settings.until ?? plainUntil).map(stuckByCount),
  }
}

/**
 * Finds what is wrong with a prompt before a run starts: syntax, unknown variables in any branch,
 * and, by writing it twice, whatever else a first and a later iteration would meet.
 */
export async function checkPlain(
  settings: PlainSettings,
  input: PlainInput,
): Promise<CheckedPlain> {
  const prompt = await createPrompt(sectionsOf(settings.prompt))
  prompt.check(input)
  const tokensMax = settings.context?.tokensMax ?? contextTokensMax
  const write = (moment: Moment, previous: PlainProgress | undefined): Assembled =>
    prompt.write({ input: input ?? {}, previous }, moment, tokensMax)
  const remaining = { iterations: 1, tokens: 1, costMicros: 1, timeMs: 1 }
  const any = { workspace: '.', remaining, failedBefore: ['test'] }
  write({ iteration: 2, ...any }, anyProgress)
  write({ iteration: 1, ...any }, undefined)
  return {
    variables: prompt.variables,
    first: (beginning) => write({ iteration: 1, ...beginning }, undefined),
  }
}

export interface CheckedPlain {
  readonly variables: readonly string[]
  /** The prompt of the first iteration. */
  first(beginning: Omit<Moment, 'iteration'>): Assembled
}

/** Progress of which each part is there. */
const anyProgress: PlainProgress = {
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

/** What is wrong with a prompt now would be wrong in each iteration. */
async function writePrompt(
  settings: PlainSettings,
  prompt: () => Promise<Prompt>,
  context: PlainContext,
  it: Iteration,
): Promise<WrittenPrompt> {
  try {
    const { workspace } = it
    const moment = {
      iteration: it.number,
      workspace: workspace?.path ?? '',
      remaining: it.budget.remaining(),
      failedBefore: it.failedBefore ?? [],
    }
    const tokensMax = settings.context?.tokensMax ?? contextTokensMax
    const { text, tokens, sections, cuts } = (await prompt()).write(context, moment, tokensMax)
    return { prompt: text, tokens, sections, cuts, tree: workspace?.tree ?? null }
  } catch (error) {
    if (!isLoopError(error)) throw error
    const { code, message } = error
    throw new FaultError({ code, message, retryable: false, fatal: true }, { cause: error })
  }
}

async function changesOf(
  it: Iteration,
  before: TreeId | undefined,
  after: TreeId | undefined,
): Promise<readonly string[] | undefined> {
  const { workspace } = it
  if (workspace === undefined || before === undefined || after === undefined) return undefined
  if (before === after) return []
  // Prompts can do without; the run cannot fail for it.
  const read = async (): Promise<readonly string[] | null> =>
    workspace.changedSince(before).catch(() => null)
  return (await it.step('changes', read, { readOnly: true })) ?? undefined
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
