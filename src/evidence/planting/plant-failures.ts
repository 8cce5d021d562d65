/**
 * Plants failures in tests: changes a test file so that the named tests must fail. If such a test still passes, its
 * result cannot be trusted.
 *
 * 1. The planted text always parses.
 * 2. Tests in which nothing can be planted are listed with a reason; they never count as planted.
 * 3. No text takes long or throws, however hostile.
 */

import { findReader } from './languages.ts'
import {
  applyEdits,
  type ChangedFile,
  type Edit,
  type PlantKind,
  type ReadSource,
  type TestSource,
} from './test-source.ts'
import { findByTitles } from './titles.ts'

export interface PlantRequest {
  readonly file: string
  readonly text: string
  readonly tests: readonly { readonly id: string; readonly titles: readonly string[] }[]
  readonly kind: PlantKind
  /** Part of the message of every planted failure, to recognize it. */
  readonly marker: string
  /** For `restated`: code that may decide comparisons. Default: none. */
  readonly work?: readonly ChangedFile[]
}

export interface Planted {
  readonly text: string
  /** Ids of tests that must fail now. */
  readonly planted: readonly string[]
  /** Ids of tests in which nothing could be planted. `no expected value` is not a defect of a test. */
  readonly not: readonly { readonly id: string; readonly why: string }[]
}

type Edits = readonly Edit[] | string

function findEdits(source: TestSource, titles: readonly string[], request: PlantRequest): Edits {
  const { separator } = source
  const parts = separator === undefined ? titles : titles.flatMap((one) => one.split(separator))
  const tests = findByTitles(source.tests, parts)
  if (typeof tests === 'string') return tests
  const edits: Edit[] = []
  for (const test of tests) {
    const own = test.plant(request.kind, request.marker, request.work ?? [])
    if (typeof own === 'string') return own
    edits.push(...own)
  }
  return edits
}

/** Plants as many as possible in one text; leaves out those that would break it. */
export async function plantFailures(
  request: PlantRequest,
  read: ReadSource | undefined = findReader(request.file),
): Promise<Planted> {
  const { file, text, tests } = request
  const none = (why: string): Planted => ({
    text,
    planted: [],
    not: tests.map(({ id }) => ({ id, why })),
  })
  if (read === undefined) return none('failures cannot be planted in files of this language')
  const source = await read(file, text)
  if (source === undefined) return none('the file cannot be parsed')
  const found = tests.map(({ id, titles }) => ({ id, edits: findEdits(source, titles, request) }))
  const plantable = found.filter((test): test is { id: string; edits: readonly Edit[] } =>
    Array.isArray(test.edits),
  )
  const planted = applyEdits(
    text,
    plantable.flatMap((test) => test.edits),
  )
  if (planted === undefined) return none('the changes for these tests overlap')
  if (plantable.length > 0 && (await read(file, planted)) === undefined)
    return none('the planted text cannot be parsed')
  return {
    text: planted,
    planted: plantable.map((test) => test.id),
    not: found.flatMap(({ id, edits }) => (typeof edits === 'string' ? [{ id, why: edits }] : [])),
  }
}
