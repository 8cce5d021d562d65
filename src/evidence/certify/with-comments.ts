/**
 * Adds a comment at the end of files of the work, of tests that went from red to green, and of programs that check
 * without a test runner. In these tests and programs it also restates their expectations in plain language constructs.
 * Honest work still passes. Code that recognizes the bytes of either, or that changed how values are compared, does not.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import type { Overlay, OverlayFile } from '../parts.ts'
import {
  type ChangedFile,
  decidesComparisons,
  plantFailures,
  plantInProgram,
  withHarmlessComment,
} from '../planting/index.ts'
import type { ExaminationContext } from './certification.ts'
import type { ComparedTests } from './compare-tests.ts'
import { findTestLocation } from './test-location.ts'

/** The most files that get a comment (E9). */
const commentsMax = 80
const bytesMax = 4 * 1024 * 1024

export interface CommentedFiles {
  /** The overlay for the candidate. */
  readonly over: Overlay
  /** Parts of the messages with which restated tests and programs fail. */
  readonly markers: readonly string[]
  /** Files in a compiled language that contain restated expectations. */
  readonly compiled: readonly string[]
  /** The work may define comparisons: if these files do not compile, that is a finding. */
  readonly decides: boolean
}

/** `programs`: files of checks that report no tests. `as`: whether to restate the expectations of tests. */
export async function withComments(
  { parts, tree, base }: ExaminationContext,
  over: Overlay,
  work: readonly string[],
  compared: ReadonlyMap<string, ComparedTests>,
  programs: readonly string[],
  as: 'restated' | 'commented' = 'restated',
): Promise<CommentedFiles> {
  const { reader } = parts
  const red = [...compared.values()].flatMap(({ redToGreen }) => redToGreen)
  const placed = red.map((test) => ({ id: test.id, ...findTestLocation(test, work) }))
  const isProgram = new Set(programs)
  const paths = [...new Set([...placed.map(({ file }) => file), ...programs, ...work])]
  const files = await reader.list(tree)
  const commented = new Map<string, OverlayFile | null>(over)
  const changed = await changedFiles(reader, base, tree, work)
  const compiled: string[] = []
  const markers: string[] = []
  for (const path of paths.slice(0, commentsMax)) {
    const put = over.get(path)
    const kind = put === undefined ? files.get(path)?.kind : put?.kind
    if (kind !== 'file' && kind !== 'executable') continue
    const bytes = put?.content ?? (await reader.read(tree, path, bytesMax))
    if (bytes === undefined) continue
    const tests = as === 'restated' ? placed.filter(({ file }) => file === path) : []
    const plain = decode(bytes)
    const marker = `restated ${parts.token()}`
    markers.push(marker)
    const request = { file: path, text: plain, kind: 'restated', marker, work: changed } as const
    const program =
      as === 'restated' && isProgram.has(path) ? await plantInProgram(request) : undefined
    const restated =
      program === undefined
        ? await plantFailures({ ...request, tests })
        : { text: program, planted: [] }
    if (restated.planted.length > 0 && /\.(?:go|rs)$/.test(path)) compiled.push(path)
    const text = withHarmlessComment(path, restated.text) ?? restated.text
    if (text !== plain) commented.set(path, { kind, content: new TextEncoder().encode(text) })
  }
  return { over: commented, markers, compiled, decides: decidesComparisons(changed) }
}

const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

/** Lines that the base has elsewhere in the same file count as unchanged. */
async function changedFiles(
  reader: TreeReader,
  base: TreeId,
  tree: TreeId,
  work: readonly string[],
): Promise<readonly ChangedFile[]> {
  const changed: ChangedFile[] = []
  for (const path of work.filter((one) => /\.(?:go|rs|pyi?)$/.test(one))) {
    const [before, after] = await Promise.all(
      [base, tree].map((one) => reader.read(one, path, bytesMax)),
    )
    if (after === undefined) continue
    const known = new Set(decode(before).split('\n'))
    const text = decode(after)
    const lines = text.split('\n').flatMap((line, at) => (known.has(line) ? [] : [at + 1]))
    changed.push({ path, text, lines: new Set(lines) })
  }
  return changed
}
