/** What is collected while a loop file is taken apart. */

import type { AgentContext, Json } from '../../../loop/index.ts'

/** What is called with JSON and, where it has one, a context. */
export type Functions = ReadonlyMap<
  string,
  (args: readonly Json[], context: AgentContext) => unknown
>

/** Notes of what is wrong, and functions as they are found. */
export interface Findings {
  readonly functions: Map<string, (args: readonly Json[], context: AgentContext) => unknown>
  readonly conditions: [string, (progress: unknown, result: unknown) => unknown][]
  wrong(key: string, what: string): void
}

export type Parts = { readonly [key: string]: unknown }

export const isParts = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Methods may be on a class; then they are called with their object. */
export const isMethod = (value: unknown, name: string): boolean =>
  isParts(value) && typeof value[name] === 'function'

export const callMethod = (owner: unknown, name: string, args: readonly unknown[]): unknown =>
  ((owner as Parts)[name] as (...given: readonly unknown[]) => unknown).apply(owner, [...args])
