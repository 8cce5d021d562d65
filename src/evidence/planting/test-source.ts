/**
 * What every language gives of a test file: its tests, where each begins and ends, and how a failure is
 * planted in it. The matching of titles and the comparison of two versions need nothing else.
 */

/**
 * `before`, `after`: a throw before, after the last statement. `value`: another expected value. `restated`: what
 * is expected is stated once more in the language itself; then the test must pass as before.
 */
export type PlantKind = FailureKind | 'restated'

/** After which the test must fail. */
export type FailureKind = 'before' | 'after' | 'value'

/** Between two offsets of the text; `at === end` inserts. */
export interface Edit {
  readonly at: number
  readonly end: number
  readonly text: string
}

/** What a title consists of; null: something that is known only when the test runs. */
export type Title = readonly (string | null)[]

/** A suite around a test. An uncertain one may be something else than a suite. */
export interface Link {
  readonly title: Title
  readonly certain: boolean
}

export interface SourceTest extends Link {
  readonly links: readonly Link[]
  readonly start: number
  readonly end: number
  /** Edits that must make it fail, or the reason why there are none, for people. `work`: for `restated`. */
  plant(kind: PlantKind, marker: string, work: readonly ChangedFile[]): readonly Edit[] | string
}

/** A file of the work. */
export interface ChangedFile {
  readonly path: string
  readonly text: string
  /** Those that the work adds or changes; the first line is 1. */
  readonly lines: ReadonlySet<number>
}

/** A part of a file, in the order of the text. Its text is compared without the white space around it. */
export interface Item {
  readonly kind: 'test' | 'suite' | 'import' | 'code'
  readonly text: string
  /** Of a test or suite: suites first. */
  readonly titles: readonly string[]
  /** Of a suite: its text without `items`. */
  readonly header?: string
  readonly items?: readonly Item[]
}

export interface Region {
  /** Suites first; `*` stands for what is known only when the test runs. Empty: a block with tests in it. */
  readonly titles: readonly string[]
  readonly start: number
  readonly end: number
}

export interface TestSource {
  readonly tests: readonly SourceTest[]
  /** What is between the titles in a runner's name of a test: `TestA/b`, `tests::a`. */
  readonly separator?: string
  readonly regions: readonly Region[]
  readonly items: readonly Item[]
}

/** Undefined: the text cannot be parsed. */
export type ReadSource = (file: string, text: string) => Promise<TestSource | undefined>

export const insert = (at: number, text: string): Edit => ({ at, end: at, text })

/** Undefined: two of the edits are in each other's way. */
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
