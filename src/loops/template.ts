/**
 * Prompt templates: strict Liquid. Every problem is a `bad-template` that says where, why, and what
 * was probably meant; most are found before a run starts.
 *
 * L1 and L2 are enforced by the engine.
 * L3. Values are data. Text in them is never read as a template, and code in them is refused.
 */

import type { Template as Parsed } from 'liquidjs'
import { isLoopError, LoopError, toJson } from '../loop/index.ts'
import {
  type Engine,
  loadEngine,
  tagCharsMax,
  tagCharsTimesCharsMax,
  templateCharsMax,
} from './template-engine.ts'
import type { Use } from './template-items.ts'
import { describeProblem, describeUnknown } from './template-problems.ts'
import { findUnknown, pathToText, toShape, type VariableShape } from './template-variables.ts'

export interface TemplateOptions {
  /** The name for messages. */
  readonly file?: string
  /** The line of the file where the template starts. */
  readonly line?: number
  /** How many columns precede its lines in the file: the indentation inside YAML. */
  readonly indent?: number
}

/** A parsed prompt template. Made by `createTemplate`. */
export interface Template {
  /** The paths that it expects, such as `input.goal`. */
  readonly variables: readonly string[]
  /** Throws `bad-template` for the first unknown variable, in any branch. */
  checkVariables(known: VariableShape): void
  /** Deterministic: the same values give the same text. Throws `bad-template`. */
  render(values: { readonly [name: string]: unknown }): string
}

/** Throws `bad-template` for problems that do not depend on the values. */
export async function createTemplate(
  text: string,
  options: TemplateOptions = {},
): Promise<Template> {
  const engine = await loadEngine()
  const source: Source = { text, engine, options }
  const { parsed, inputs, items } = attempt(source, undefined, () => {
    requireWithinLimits(text)
    const template = engine.parse(text)
    const found = engine.inputs(template)
    return { parsed: template, inputs: found, items: engine.items(template, found) }
  })
  return {
    variables: [...new Set(inputs.map(({ segments }) => pathToText(segments)))],
    checkVariables: (known) => checkVariables(source, [...inputs, ...items], known),
    render: (values) => render(source, parsed, values),
  }
}

interface Source {
  readonly text: string
  readonly engine: Engine
  readonly options: TemplateOptions
}

function attempt<T>(source: Source, known: VariableShape | undefined, action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (isLoopError(error)) throw error
    const { text, engine } = source
    const { reason, line, column } = describeProblem(error, { text, engine, known })
    throw createProblem(source, line, column, reason, error)
  }
}

function createProblem(
  { options }: Source,
  line: number,
  column: number,
  reason: string,
  cause?: unknown,
): LoopError {
  const { file = 'template', line: first = 1, indent = 0 } = options
  const position = `${file}:${first + line - 1}:${indent + column}`
  return new LoopError('bad-template', `${position}: ${reason}`, { cause })
}

/** L2. The library's work grows faster than the text, so the text is measured first. */
function requireWithinLimits(text: string): void {
  if (text.length > templateCharsMax) {
    throw new Error(
      `it is ${text.length} characters long; the limit is ${templateCharsMax}. Pass long texts as input`,
    )
  }
  let chars = 0
  for (let at = findTag(text, 0); at >= 0; ) {
    const end = text.indexOf(text[at + 1] === '{' ? '}}' : '%}', at + 2)
    chars += 1 + (end < 0 ? text.length : end) - at
    const charsMax = Math.min(tagCharsMax, Math.floor(tagCharsTimesCharsMax / text.length))
    if (chars > charsMax) {
      throw new Error(
        `its tags are longer than ${charsMax} characters together. Simplify it, or pass long texts as input`,
      )
    }
    at = end < 0 ? -1 : findTag(text, end + 2)
  }
}

function findTag(text: string, from: number): number {
  for (let at = text.indexOf('{', from); at >= 0; at = text.indexOf('{', at + 1)) {
    const next = text[at + 1]
    if (next === '{' || next === '%') return at
  }
  return -1
}

function checkVariables(source: Source, uses: readonly Use[], known: VariableShape): void {
  for (const { segments, location } of uses) {
    const unknown = findUnknown(segments, known)
    if (unknown === undefined) continue
    throw createProblem(source, location.row, location.col, describeUnknown(unknown))
  }
}

function render(
  source: Source,
  parsed: Parsed[],
  values: { readonly [name: string]: unknown },
): string {
  const json = attempt(source, undefined, () => toJson(values))
  return attempt(source, toShape(json), () => source.engine.render(parsed, Object(json)))
}
