/** A prompt made of sections, each of which is a template. They are cut by priority if the prompt is too long. */

import {
  type Assembled,
  assembleContext,
  defined,
  describeGuidance,
  type Guidance,
  type Json,
  type Section,
} from '../loop/index.ts'
import type { ReadSection } from './loop-type-definition.ts'
import { createTemplate, type Template, type TemplateOptions } from './template.ts'
import type { VariableShape } from './template-variables.ts'

/** A section whose text is a template. */
export interface PromptSection extends Omit<Section, 'priority'> {
  readonly priority?: number
  /** Where the template comes from, for messages. */
  readonly source?: TemplateOptions
}

export interface SectionedPrompt {
  write(values: { readonly [name: string]: Json }, options: WriteOptions): Assembled
  /** Throws `bad-template` for a variable that will not exist. */
  check(known: VariableShape): void
  /** The variables that its templates expect. */
  readonly variables: readonly string[]
}

export interface WriteOptions {
  readonly tokensMax: number
  /** What people told the run. */
  readonly guidance?: readonly Guidance[]
}

const priorityDefault = 100
const priorityGuidance = 1000

export const toSections = (prompt: string | readonly PromptSection[]): readonly PromptSection[] =>
  typeof prompt === 'string' ? [{ name: 'prompt', text: prompt }] : prompt

/** The sections of a loop file. */
export const fromFile = (sections: readonly ReadSection[]): readonly PromptSection[] =>
  sections.map(({ position, ...section }) => ({
    ...section,
    source: { file: position.file, line: position.line, indent: position.column - 1 },
  }))

export async function createSectionedPrompt(
  sections: readonly PromptSection[],
): Promise<SectionedPrompt> {
  const parts: (readonly [PromptSection, Template])[] = []
  for (const section of sections) {
    const source = section.source ?? { file: section.name }
    parts.push([section, await createTemplate(section.text, source)])
  }
  const usesGuidance = parts.some(([, template]) => template.variables.includes('guidance'))
  return {
    write(values, { tokensMax, guidance = [] }) {
      const written = parts.map(([section, template]): Section => {
        const { name, stable, keep, required, priority = priorityDefault } = section
        return {
          name,
          text: template.render(values).trim(),
          priority,
          ...defined({ stable, keep, required }),
        }
      })
      return assembleContext([...written, ...guidanceSections(guidance, usesGuidance)], {
        tokensMax,
      })
    },
    check(known) {
      for (const [, template] of parts) template.checkVariables(known)
    },
    variables: [...new Set(parts.flatMap(([, template]) => template.variables))],
  }
}

/** A prompt that does not say where guidance goes has it at its end. */
const guidanceSections = (guidance: readonly Guidance[], isPlaced: boolean): readonly Section[] =>
  isPlaced || guidance.length === 0
    ? []
    : [
        {
          name: 'guidance',
          text: `## Guidance\n\n${describeGuidance(guidance)}`,
          priority: priorityGuidance,
        },
      ]
