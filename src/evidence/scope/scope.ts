/**
 * Scope: what the agent may change without asking; and the class of every path that it changed.
 *
 * 1. Closed by default: what is not known to be work, a new test, unread or free is `other`, and is asked about.
 * 2. The scope is derived from the base. Nothing that the agent writes can widen it.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { SealRules } from '../seals/sealed-change.ts'

export interface Scope {
  /** For people: how it was derived, a line each: `src/** (exports of package.json)`. */
  readonly lines: readonly string[]
  readonly from: 'loop-file' | 'manifest'
  /** By its place alone: tests of the runner, links and data files are told apart by `classifyChanges`. */
  isWork(path: string): boolean
  /** Absent: the loop file names the scope. */
  readonly project?: ProjectFacts
}

/** What the manifests of the base say besides the scope. */
export interface ProjectFacts {
  /** Folders of packages whose entries are known, with a slash; `''`: the top. */
  readonly withEntries: readonly string[]
  /** Folders of packages that have none. */
  readonly withoutEntries: readonly string[]
  /** Files that the entries lead to. */
  readonly reached: ReadonlySet<string>
  /** Folders of packages that others use only while they are developed. */
  readonly usedByTests: readonly string[]
}

export type ChangeClass =
  /** Part of the product. */
  | 'work'
  /** A new test file, or tests added to an existing one. */
  | 'new-test'
  /** No check opened it, before or after the change. */
  | 'not-read'
  /** Documentation that a check opened, outside the scope; no code of the base refers to it. */
  | 'documents'
  /** Only keys of a manifest that no check depends on: version, description and the like. */
  | 'free-keys'
  /** Lockfiles, dependency keys of manifests, installed packages. */
  | 'dependencies'
  /** The loop's own files, and what the loop file seals. */
  | 'sealed'
  | 'other'

export interface ClassifiedChange {
  /** Of a moved file: where it is now. */
  readonly path: string
  readonly what: 'added' | 'changed' | 'removed' | 'moved'
  /** Of a moved file: where it was. It is not listed separately. */
  readonly from?: string
  readonly class: ChangeClass
  /** In plain words: what it is, and why it is asked about. */
  readonly why: string
  /** Of a manifest: the keys that differ, dotted. */
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
  /** Files that runners named as tests on the base. */
  readonly testsOfBase: ReadonlySet<string>
  /** The same on the candidate. */
  readonly testsOfTree: ReadonlySet<string>
  /** What any check read on the base. Undefined: unknown, so that nothing counts as not read. */
  readonly readOnBase: ReadonlySet<string> | undefined
  readonly readOnTree: ReadonlySet<string> | undefined
  /** Whether a changed test file only adds tests. */
  readonly onlyAddsTests: CompareTexts
  /** Asked where the regions of the tests inside a product file differ as text: whether the tests are the same. */
  readonly inlineTestsUnchanged?: CompareTexts
  /** Program and arguments of each command check. Absent: no script of package.json is free. */
  readonly commands?: readonly (readonly string[])[]
}
