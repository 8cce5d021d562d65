/** Recognizes results of steps by their shape. Large results are stored elsewhere and stay unknown. */

import type { AgentReport, CheckResult, Json } from '../../loop/index.ts'

type Fields = { readonly [key: string]: Json }

/** The result of a step that writes a prompt. */
export interface WrittenPrompt {
  readonly prompt: string
  readonly tokens: number
  readonly cuts: readonly { readonly section: string; readonly tokens: number }[]
}

export const isObject = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isPrompt = (value: Json | undefined): value is Fields & WrittenPrompt =>
  isObject(value) &&
  typeof value['prompt'] === 'string' &&
  typeof value['tokens'] === 'number' &&
  Array.isArray(value['cuts']) &&
  value['cuts'].every(
    (cut) =>
      isObject(cut) && typeof cut['section'] === 'string' && typeof cut['tokens'] === 'number',
  )

export const isReport = (value: Json | undefined): value is Fields & AgentReport =>
  isObject(value) &&
  typeof value['status'] === 'string' &&
  typeof value['text'] === 'string' &&
  typeof value['turns'] === 'number' &&
  isObject(value['usage']) &&
  typeof value['usage']['tokens'] === 'number'

export const isCheck = (value: Json | undefined): value is Fields & CheckResult =>
  isObject(value) &&
  typeof value['check'] === 'string' &&
  typeof value['status'] === 'string' &&
  typeof value['output'] === 'string' &&
  typeof value['durationMs'] === 'number'

/** For example the names of changed files. */
export const isNames = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string')

/** How a round ended, by its report. */
export function roundOutcomeOf(value: Json | undefined): string | undefined {
  const { outcome } = (value ?? {}) as { readonly outcome?: { readonly type?: unknown } }
  return typeof outcome?.type === 'string' ? outcome.type : undefined
}
