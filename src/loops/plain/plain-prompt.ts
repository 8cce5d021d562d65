/** The prompt of a plain loop: its sections, their variables, and how they become one text. */

import {
  type Assembled,
  assembleContext,
  defined,
  describeGuidance,
  type Guidance,
  type Json,
  type Remaining,
  type Section,
} from '../../loop/index.ts'
import { createTemplate, type Template, type TemplateOptions } from '../template.ts'
import { toShape, type VariableShape } from '../template-variables.ts'
import { describeProgress, type PlainProgress } from './plain-progress.ts'

/** A section whose text is a template. */
export interface PromptSection extends Omit<Section, 'priority'> {
  readonly priority?: number
  /** Where the template comes from, for messages. */
  readonly source?: TemplateOptions
}

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

const priorityDefault = 100
const priorityGuidance = 1000

export const toSections = (prompt: string | readonly PromptSection[]): readonly PromptSection[] =>
  typeof prompt === 'string' ? [{ name: 'prompt', text: prompt }] : prompt

export async function createPrompt(sections: readonly PromptSection[]): Promise<Prompt> {
  const parts: (readonly [PromptSection, Template])[] = []
  for (const section of sections) {
    const source = section.source ?? { file: section.name }
    parts.push([section, await createTemplate(section.text, source)])
  }
  const usesGuidance = parts.some(([, template]) => template.variables.includes('guidance'))
  return {
    write(context, info, tokensMax) {
      const values = toValues(context, info)
      const written = parts.map(([section, template]): Section => {
        const { name, stable, keep, required, priority = priorityDefault } = section
        return {
          name,
          text: template.render(values).trim(),
          priority,
          ...defined({ stable, keep, required }),
        }
      })
      return assembleContext([...written, ...guidanceSections(info, usesGuidance)], { tokensMax })
    },
    check(input) {
      const known = toVariables(input)
      for (const [, template] of parts) template.checkVariables(known)
    },
    variables: [...new Set(parts.flatMap(([, template]) => template.variables))],
  }
}

/** A prompt that does not say where guidance goes has it at its end. */
const guidanceSections = (
  { guidance = [] }: IterationInfo,
  isPlaced: boolean,
): readonly Section[] =>
  isPlaced || guidance.length === 0
    ? []
    : [
        {
          name: 'guidance',
          text: `## Guidance\n\n${describeGuidance(guidance)}`,
          priority: priorityGuidance,
        },
      ]

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
