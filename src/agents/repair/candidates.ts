/** The edits to try, most likely first. The order depends only on the files and the tests. */

import { createHash } from 'node:crypto'
import { type Edit, insertedText } from './edit.ts'
import type { WireEdit } from './messages.ts'
import { proposeEdits } from './propose-edits.ts'
import { parseCode, type SourceFile, walk } from './source-file.ts'

export interface Candidate extends Edit {
  /** Suspicion of the location times the prior of the operator. */
  readonly score: number
}

const candidatesMax = 60_000
const wantedMax = 40

export interface RankOptions {
  readonly sources: readonly SourceFile[]
  readonly suspicionAt: (file: string, offset: number) => number
  /** Texts of the failing tests. */
  readonly failingTests: readonly string[]
}

export function rankCandidates({ sources, suspicionAt, failingTests }: RankOptions): Candidate[] {
  const wanted = collectStrings(failingTests)
  const all: Candidate[] = []
  for (const file of sources) {
    if (!isSuspected(file, suspicionAt)) continue
    const isRelevant = (offset: number): boolean => suspicionAt(file.path, offset) > 0
    for (const edit of proposeEdits(file, { wanted, isRelevant })) {
      const score = suspicionAt(file.path, edit.start) * edit.prior
      if (score > 0) all.push({ ...edit, score })
    }
  }
  // Equal scores keep the order of files and offsets.
  return all.toSorted((a, b) => b.score - a.score).slice(0, candidatesMax)
}

/** Most files of a large project are not suspected, and need not be searched. */
function isSuspected({ path, code }: SourceFile, suspicionAt: RankOptions['suspicionAt']): boolean {
  for (let offset = 0; offset < code.length; offset++) {
    if (suspicionAt(path, offset) > 0) return true
  }
  return false
}

function collectStrings(tests: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const text of tests) {
    const program = parseCode(text)
    if (program === undefined) continue
    walk(program, (node) => {
      if (node.type !== 'Literal' || typeof node.value !== 'string') return
      if (node.value === '' || node.value.length > 40 || found.size >= wantedMax) return
      found.add(JSON.stringify(node.value))
    })
  }
  return [...found]
}

/** Identifies a list of candidates, so that a search can be continued later. */
export function digestCandidates(
  sources: readonly SourceFile[],
  candidates: readonly Candidate[],
): string {
  const hash = createHash('sha256')
  for (const { path, text } of sources) hash.update(`${path}\0${text}\0`)
  for (const one of candidates) hash.update(`${one.file}:${one.start}:${one.end}:${one.operator}\n`)
  return hash.digest('hex').slice(0, 12)
}

export function toWireEdits(
  candidates: readonly Candidate[],
  sources: readonly SourceFile[],
  kind: 'code' | 'text',
): WireEdit[] {
  const numbers = new Map(sources.map(({ path }, index) => [path, index]))
  return candidates.map((one): WireEdit => {
    const file = numbers.get(one.file) ?? -1
    const text = sources[file]?.[kind] ?? ''
    return [file, one.start, one.end, insertedText(text, one)]
  })
}
