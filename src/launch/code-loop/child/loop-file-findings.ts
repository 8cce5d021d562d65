/** What is collected while a loop file is described. */

import type { AgentContext, Json } from '../../../loop/index.ts'

/** Functions that are called with JSON and, for some, a context. */
export type Functions = ReadonlyMap<
  string,
  (args: readonly Json[], context: AgentContext) => unknown
>

/** Problems and functions found so far. */
export interface LoopFileFindings {
  readonly functions: Map<string, (args: readonly Json[], context: AgentContext) => unknown>
  readonly conditions: [string, (progress: unknown, result: unknown) => unknown][]
  addProblem(key: string, what: string): void
}

export type PlainObject = { readonly [key: string]: unknown }

export const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Methods may belong to a class; they are called with their object. */
export const isMethod = (value: unknown, name: string): boolean =>
  isPlainObject(value) && typeof value[name] === 'function'

export const callMethod = (owner: unknown, name: string, args: readonly unknown[]): unknown =>
  ((owner as PlainObject)[name] as (...given: readonly unknown[]) => unknown).apply(owner, [
    ...args,
  ])
