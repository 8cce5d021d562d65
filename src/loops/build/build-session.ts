/** What the steps of one iteration of a build share: its settings, its context, its prompts and its files. */

import {
  type Condition,
  FaultError,
  type Iteration,
  type IterationWorkspace,
  type RetryPolicy,
} from '../../loop/index.ts'
import type { MeasureSettings } from '../context/measure.ts'
import type { Skill, SkillSettings } from '../context/skills.ts'
import type { LoopPorts } from '../loop-ports.ts'
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
  /** The folder of plans that are named after their spec. */
  readonly plans?: string
  readonly contextFiles: readonly string[]
  /** The file with what runs learned. Absent: none is kept. */
  readonly learnings?: string
  /** Absent: skills are not used. */
  readonly skills?: SkillSettings
  /** Absent: nothing is measured. */
  readonly measure?: MeasureSettings
  /** Of the agents, after temporary faults. Absent: the default of the engine. */
  readonly retry?: Partial<RetryPolicy>
  /** Absent: the loop is only inspected, not run. */
  readonly ports?: LoopPorts
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
  /** Of the run. Absent: they are not used. */
  readonly skills?: readonly Skill[]
}

/** The files as they are now. Rejects a build without a workspace. */
export function filesOf({ it }: Pick<Session, 'it'>): IterationWorkspace {
  if (it.workspace !== undefined) return it.workspace
  const message = 'A build needs a workspace: run it in a git repository or a folder.'
  throw new FaultError({ code: 'not-configured', message, retryable: false, fatal: true })
}

/** Writes the sealed tasks with their marks. It was a file when it was sealed: what is there now is of an agent. */
export const writePlanFile = (session: Session, plan: SealedPlan): Promise<unknown> =>
  session.it.step(
    'plan-file',
    async () => {
      await filesOf(session).write(plan.path, renderPlan(plan), { force: true })
      return countTasks(plan, session.isReviewed)
    },
    { role: 'plan-file' },
  )
