/**
 * Reverts past fixes: for a commit that changed source and tests together, restores the earlier source in
 * the current tree. The tests stay, so they should notice.
 */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { findLanguageFamily } from '../mask-code.ts'
import type { Overlay, OverlayFile } from '../parts.ts'
import type { BadWork } from './calibrate.ts'
import { shuffle } from './choose-defects.ts'
import { plantedCharsMax } from './planter.ts'

/** A commit and its first parent. */
export interface PastCommit {
  readonly commit: string
  readonly subject: string
  readonly before: TreeId
  readonly after: TreeId
  readonly paths: readonly string[]
}

export interface RevertRequest {
  readonly reader: TreeReader
  readonly tree: TreeId
  /** The newest first. */
  readonly commits: readonly PastCommit[]
  readonly isTest: (path: string) => boolean
  readonly random: () => number
  readonly max: number
}

/** A commit with more files is a refactoring rather than a fix. */
const sourcesMax = 4

export async function revertedFixes(request: RevertRequest): Promise<readonly BadWork[]> {
  const { reader, tree, commits, isTest, random, max } = request
  const found: BadWork[] = []
  for (const commit of shuffle(commits, random)) {
    if (found.length >= max) break
    const sources = commit.paths.filter(
      (path) => findLanguageFamily(path) !== undefined && !isTest(path),
    )
    const isFix = commit.paths.some((path) => isTest(path))
    if (!isFix || sources.length === 0 || sources.length > sourcesMax) continue
    const overlay = await revertSources(reader, tree, commit, sources)
    if (overlay === undefined) continue
    const [file = ''] = overlay.files.keys()
    found.push({
      source: 'reverted-fix',
      file,
      line: overlay.line,
      description: `without ${commit.commit.slice(0, 8)} ${shortened(commit.subject)}`,
      overlay: overlay.files,
    })
  }
  return found
}

const subjectCharsMax = 80

const shortened = (subject: string): string =>
  subject.length > subjectCharsMax ? `${subject.slice(0, subjectCharsMax)}…` : subject

/** Undefined: it cannot be reverted, or nothing would change. */
async function revertSources(
  reader: TreeReader,
  tree: TreeId,
  { before, after }: PastCommit,
  sources: readonly string[],
): Promise<{ readonly files: Overlay; readonly line: number } | undefined> {
  const files = new Map<string, OverlayFile>()
  let line: number | undefined
  const kinds = await reader.list(tree)
  for (const path of sources) {
    const texts = await Promise.all([before, after, tree].map((of) => read(reader, of, path)))
    const [earlier, fixed, now] = texts
    // A file that the fix added, or that was deleted since, cannot be reverted.
    if (earlier === undefined || fixed === undefined || now === undefined) return undefined
    const reverted = takeBack(earlier, fixed, now)
    if (reverted === undefined) return undefined
    const kind = kinds.get(path)?.kind === 'executable' ? 'executable' : 'file'
    files.set(path, { content: new TextEncoder().encode(reverted.text), kind })
    line ??= reverted.line
  }
  return line === undefined ? undefined : { files, line }
}

async function read(reader: TreeReader, tree: TreeId, path: string): Promise<string | undefined> {
  const bytes = await reader.read(tree, path, plantedCharsMax)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

const contextLines = 2

/**
 * The fixed lines must still be there as the fix left them, with the same surrounding lines, and exactly
 * once.
 */
export function takeBack(
  before: string,
  after: string,
  now: string,
): { readonly text: string; readonly line: number } | undefined {
  const [old, fixed] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(old.length, fixed.length)
  let start = 0
  while (start < shorter && old[start] === fixed[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === fixed.at(-1 - end)) end++
  if (start === old.length && start === fixed.length) return undefined
  const from = Math.max(0, start - contextLines)
  const to = Math.max(0, end - contextLines)
  const wanted = fixed.slice(from, fixed.length - to)
  const lines = now.split('\n')
  const positions = findPositions(lines, wanted)
  const [position] = positions
  if (position === undefined || positions.length > 1) return undefined
  const put = old.slice(from, old.length - to)
  const text = [...lines.slice(0, position), ...put, ...lines.slice(position + wanted.length)].join(
    '\n',
  )
  return { text, line: position + (start - from) + 1 }
}

/** Stops after the second one. */
function findPositions(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const found: number[] = []
  for (let at = 0; at + wanted.length <= lines.length && found.length < 2; at++) {
    if (wanted.every((line, index) => lines[at + index] === line)) found.push(at)
  }
  return found
}
