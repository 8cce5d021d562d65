/** The prompt of a plain loop: its sections, their variables, and how they become one text. */

import {
  type Assembled,
  defined,
  describeGuidance,
  describeTodo,
  type Guidance,
  type Json,
  type Remaining,
} from '../../loop/index.ts'
import { createSectionedPrompt, type PromptSection } from '../prompt-sections.ts'
import { toShape, type VariableShape } from '../template-variables.ts'
import { describeProgress, type PlainProgress } from './plain-progress.ts'

export type PlainInput = { readonly [name: string]: Json } | null

/** What is known before the iteration itself (E3). */
export interface PlainContext {
  readonly input: { readonly [name: string]: Json }
  readonly previous: PlainProgress | undefined
}

/** What only the iteration knows. */
export interface IterationInfo {
  readonly iteration: number
  readonly workspace: string
  readonly remaining: Remaining
  /** Checks that failed on the base. */
  readonly failedBefore?: readonly string[]
  /** What people told the run. */
  readonly guidance?: readonly Guidance[]
}

export interface Prompt {
  write(context: PlainContext, info: IterationInfo, tokensMax: number): Assembled
  /** Throws `bad-template` for a variable that will not exist. */
  check(input: PlainInput): void
  /** The variables that its templates expect. */
  readonly variables: readonly string[]
}

export async function createPrompt(sections: readonly PromptSection[]): Promise<Prompt> {
  const prompt = await createSectionedPrompt(sections)
  return {
    write: (context, info, tokensMax) =>
      prompt.write(toValues(context, info), {
        tokensMax,
        ...defined({ guidance: info.guidance }),
      }),
    check: (input) => prompt.check(toVariables(input)),
    variables: prompt.variables,
  }
}

/** The variables of the templates of a plain loop; docs/templates.md says what they mean. */
const checkShape: VariableShape = {
  parts: {
    name: 'value',
    status: 'value',
    output: 'value',
    exit_code: 'value',
    duration_ms: 'value',
  },
}

const refusalShape: VariableShape = { parts: { code: 'value', message: 'value', check: 'value' } }

const toVariables = (input: PlainInput): VariableShape => ({
  parts: {
    input: toShape(input ?? {}),
    iteration: 'value',
    progress: 'value',
    checks: { list: checkShape },
    agent_report: 'value',
    agent_status: 'value',
    todo: 'value',
    files_changed: { list: 'value' },
    refusals: { list: refusalShape },
    unchanged: 'value',
    budget: {
      parts: { iterations: 'value', tokens: 'value', cost: 'value', time: 'value', ms: 'value' },
    },
    workspace: 'value',
    guidance: 'value',
  },
})

function toValues(
  { input, previous }: PlainContext,
  { iteration, workspace, remaining, failedBefore, guidance = [] }: IterationInfo,
): { readonly [name: string]: Json } {
  const last = previous?.entries.at(-1)
  return {
    input,
    iteration,
    progress: describeProgress(previous, failedBefore),
    checks: (last?.checks ?? []).map((check) => ({
      name: check.check,
      status: check.status,
      output: check.output,
      exit_code: check.exitCode ?? null,
      duration_ms: check.durationMs,
    })),
    agent_report: last?.agent.text ?? '',
    agent_status: last?.agent.status ?? '',
    todo: last?.agent.todo === undefined ? '' : describeTodo(last.agent.todo).join('\n'),
    files_changed: last?.filesChanged ?? [],
    refusals: (last?.refusals ?? []).map(({ code, message, check }) => ({
      code,
      message,
      check: check ?? '',
    })),
    unchanged: previous?.unchanged ?? 0,
    budget: {
      iterations: remaining.iterations,
      tokens: remaining.tokens,
      cost: Math.floor(remaining.costMicros / 10_000) / 100,
      time: describeTime(remaining.timeMs),
      ms: remaining.timeMs,
    },
    workspace,
    guidance: guidance.length === 0 ? '' : describeGuidance(guidance),
  }
}

function describeTime(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
