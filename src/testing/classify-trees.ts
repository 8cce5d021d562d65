/** Classifies the changes between two trees in memory. */

import {
  type ClassifiedChange,
  type ClassifyRequest,
  classifyChanges,
  scopeOf,
} from '../evidence/index.ts'
import { defined } from '../loop/index.ts'
import { createMemoryTrees, type TreeContent } from './memory-trees.ts'

export type TreeFiles = { readonly [path: string]: TreeContent }

export interface ClassifyOptions
  extends Partial<Omit<ClassifyRequest, 'testsOfBase' | 'testsOfTree'>> {
  readonly globs?: readonly string[]
  /** By default, files named like a test. */
  readonly isTest?: (path: string) => boolean
  /** Paths that no check reads; by default all are read. */
  readonly unread?: readonly string[]
}

const namedLikeTest = (path: string): boolean =>
  /(?:^|[./_-])(?:test|spec)[._-][^/]*$|[._-]test\.\w+$/.test(path) && !path.endsWith('.snap')

/** Null removes a file. */
export async function classifyTrees(
  before: TreeFiles,
  changes: { readonly [path: string]: TreeContent | null },
  options: ClassifyOptions = {},
): Promise<readonly ClassifiedChange[]> {
  const { globs, isTest = namedLikeTest, unread = [], ...rest } = options
  const after = Object.fromEntries(
    Object.entries({ ...before, ...changes }).flatMap(([path, content]) =>
      content === null ? [] : [[path, content] as const],
    ),
  )
  const reader = createMemoryTrees()
  const base = reader.put(before)
  const tree = reader.put(after)
  const readIn = (files: TreeFiles): ReadonlySet<string> =>
    new Set(Object.keys(files).filter((path) => !unread.includes(path)))
  return classifyChanges({
    reader,
    base,
    tree,
    scope: await scopeOf(reader, base, defined({ scope: globs })),
    seals: {},
    testsOfBase: new Set(Object.keys(before).filter(isTest)),
    testsOfTree: new Set(Object.keys(after).filter(isTest)),
    readOnBase: readIn(before),
    readOnTree: readIn(after),
    onlyAddsTests: (_path, was, is) => is.startsWith(was),
    commands: [['npm', 'test']],
    ...rest,
  })
}

/** `work src/sum.js`, one line each. */
export const classLines = (changes: readonly ClassifiedChange[]): readonly string[] =>
  changes.map(({ class: kind, path, keys }) =>
    keys === undefined ? `${kind} ${path}` : `${kind} ${path} [${keys.join(' ')}]`,
  )
