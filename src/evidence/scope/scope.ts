/**
 * Scope: what the agent may change without asking; and the class of every path that it changed.
 *
 * 1. Closed by default: anything that is not known to be work, a new test, unread or free is `other` and needs an
 *    approval.
 * 2. The scope is derived from the base. Nothing that the agent writes can widen it.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { SealRules } from '../seals/sealed-change.ts'

export interface Scope {
  /** How it was derived, one line each: `src/** (exports of package.json)`. */
  readonly lines: readonly string[]
  readonly from: 'loop-file' | 'manifest'
  /** By path alone: `classifyChanges` handles reported tests, links and data files. */
  isWork(path: string): boolean
  /** Absent: the loop file defines the scope. */
  readonly project?: ProjectFacts
}

/** Other facts from the manifests of the base. */
export interface ProjectFacts {
  /** Folders of packages whose entries are known, with a slash; `''`: the top. */
  readonly withEntries: readonly string[]
  /** Folders of packages without entries. */
  readonly withoutEntries: readonly string[]
  /** Files that the entries lead to. */
  readonly reached: ReadonlySet<string>
  /** Folders of packages that others use only for development. */
  readonly usedByTests: readonly string[]
}

export type ChangeClass =
  /** Part of the product. */
  | 'work'
  /** A new test file, or tests added to an existing one. */
  | 'new-test'
  /** No check opened it, on the base or on the candidate. */
  | 'not-read'
  /** Documentation outside the scope that a check opened; no code of the base refers to it. */
  | 'documents'
  /** Only manifest keys that no check depends on, such as version and description. */
  | 'free-keys'
  /** Lockfiles, dependency keys of manifests, installed packages. */
  | 'dependencies'
  /** The loop's own files, and what the loop file seals. */
  | 'sealed'
  | 'other'

export interface ClassifiedChange {
  /** For a moved file: its new path. */
  readonly path: string
  readonly what: 'added' | 'changed' | 'removed' | 'moved'
  /** For a moved file: its old path, which is not listed separately. */
  readonly from?: string
  readonly class: ChangeClass
  /** What it is, and why it needs an approval. */
  readonly why: string
  /** For a manifest: the keys that differ, dotted. */
  readonly keys?: readonly string[]
}

export type CompareTexts = (
  path: string,
  before: string,
  after: string,
) => boolean | Promise<boolean>

export interface ClassifyRequest {
  readonly reader: TreeReader
  readonly base: TreeId
  readonly tree: TreeId
  readonly scope: Scope
  readonly seals: SealRules
  /** Files that runners reported as tests on the base. */
  readonly testsOfBase: ReadonlySet<string>
  /** The same on the candidate. */
  readonly testsOfTree: ReadonlySet<string>
  /** What any check read on the base. Undefined: unknown, so nothing counts as not read. */
  readonly readOnBase: ReadonlySet<string> | undefined
  readonly readOnTree: ReadonlySet<string> | undefined
  /** Whether a changed test file, or a block of tests inside a product file, only adds tests. */
  readonly onlyAddsTests: CompareTexts
  /** Program and arguments of each command check. Absent: no script of package.json is free. */
  readonly commands?: readonly (readonly string[])[]
}
