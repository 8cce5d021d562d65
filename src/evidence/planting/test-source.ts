/**
 * What every language provides about a test file: its tests, where each starts and ends, and how to plant a failure in
 * it. Matching titles and comparing versions need nothing else.
 */

/**
 * `before`, `after`: a throw before or after the last statement. `value`: another expected value. `restated`: the
 * expectations are restated in the language itself; then the test must still pass.
 */
export type PlantKind = FailureKind | 'restated'

/** Plants after which the test must fail. */
export type FailureKind = 'before' | 'after' | 'value'

/** Between two offsets of the text; `at === end` inserts. */
export interface Edit {
  readonly at: number
  readonly end: number
  readonly text: string
}

/** The parts of a title; null: only known at run time. */
export type Title = readonly (string | null)[]

/** A suite around a test. An uncertain one may be something other than a suite. */
export interface Link {
  readonly title: Title
  readonly certain: boolean
}

export interface SourceTest extends Link {
  readonly links: readonly Link[]
  readonly start: number
  readonly end: number
  /** Edits that must make it fail, or the reason why there are none. `work`: for `restated`. */
  plant(kind: PlantKind, marker: string, work: readonly ChangedFile[]): readonly Edit[] | string
}

/** A file of the work. */
export interface ChangedFile {
  readonly path: string
  readonly text: string
  /** Lines that the work adds or changes; the first line is 1. */
  readonly lines: ReadonlySet<number>
}

/** A part of a file, in text order. Its text is compared without surrounding white space. */
export interface Item {
  readonly kind: 'test' | 'suite' | 'import' | 'code'
  readonly text: string
  /** For a test or suite: suites first. */
  readonly titles: readonly string[]
  /** For a suite: its text without `items`. */
  readonly header?: string
  readonly items?: readonly Item[]
}

export interface Region {
  /** Suites first; `*` is a part that is only known at run time. Empty: a block that contains tests. */
  readonly titles: readonly string[]
  readonly start: number
  readonly end: number
}

export interface TestSource {
  readonly tests: readonly SourceTest[]
  /** The separator of titles in the runner's test names: `TestA/b`, `tests::a`. */
  readonly separator?: string
  readonly regions: readonly Region[]
  readonly items: readonly Item[]
}

/** Undefined: the text cannot be parsed. */
export type ReadSource = (file: string, text: string) => Promise<TestSource | undefined>

export const insert = (at: number, text: string): Edit => ({ at, end: at, text })

/** Undefined: two of the edits overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string | undefined {
  const unique = new Map(edits.map((edit) => [`${edit.at} ${edit.end} ${edit.text}`, edit]))
  const sorted = [...unique.values()].toSorted((a, b) => a.at - b.at || a.end - b.end)
  const parts: string[] = []
  let from = 0
  for (const edit of sorted) {
    if (edit.at < from) return undefined
    parts.push(text.slice(from, edit.at), edit.text)
    from = edit.end
  }
  return [...parts, text.slice(from)].join('')
}
