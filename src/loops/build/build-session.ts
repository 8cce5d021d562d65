/** What the steps of one iteration of a build share: its settings, its context, its prompts and its files. */

import {
  type Condition,
  FaultError,
  type Iteration,
  type IterationWorkspace,
} from '../../loop/index.ts'
import type { PromptSection, SectionedPrompt } from '../prompt-sections.ts'
import type { BuildInput } from './build-input.ts'
import type { BuildProgress, BuildResult } from './build-progress.ts'
import type { CompletionSettings } from './completion-hint.ts'
import { countTasks, renderPlan, type SealedPlan } from './sealed-plan.ts'

export interface BuildSettings {
  readonly name: string
  readonly version: string
  /** Default: the built-in prompt. */
  readonly prompt?: readonly PromptSection[]
  readonly review: false | ReviewSettings
  readonly verification: { readonly failures: number }
  readonly watchdog: false | { readonly rewrites: number }
  readonly completion: CompletionSettings
  /** Where a plan is drafted. Default: named after the spec. */
  readonly plan?: string
  readonly contextFiles: readonly string[]
  readonly until: readonly Condition<BuildProgress, BuildResult>[]
}

export interface ReviewSettings {
  /** Consecutive reviews that did not pass. */
  readonly failures: number
  readonly prompt?: readonly PromptSection[]
}

export interface BuildContext {
  readonly input: BuildInput
  readonly progress: BuildProgress
  readonly planPath: string
}

export interface BuildPrompts {
  readonly maker: SectionedPrompt
  readonly reviewer: SectionedPrompt
}

export interface Session extends BuildContext {
  readonly it: Iteration
  readonly settings: BuildSettings
  readonly prompts: BuildPrompts
  readonly isReviewed: boolean
}

/** The files now. A build without files makes no sense. */
export function filesOf({ it }: Pick<Session, 'it'>): IterationWorkspace {
  if (it.workspace !== undefined) return it.workspace
  const message = 'A build needs a workspace: run it in a git repository or a folder.'
  throw new FaultError({ code: 'not-configured', message, retryable: false, fatal: true })
}

/** Writes the sealed tasks with their marks. */
export const writePlanFile = (session: Session, plan: SealedPlan): Promise<unknown> =>
  session.it.step(
    'plan-file',
    async () => {
      await filesOf(session).write(plan.path, renderPlan(plan))
      return countTasks(plan, session.isReviewed)
    },
    { role: 'plan-file' },
  )
