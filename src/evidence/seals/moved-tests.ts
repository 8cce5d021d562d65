/**
 * Tests that only moved: the same content, gone from one place of tests and new in another that the same
 * rule finds. A name that differs in its case alone is no move: some runners would not find it there.
 */

import type { TreeFile } from '../parts.ts'
import type { Classify } from './classify.ts'

export interface Move {
  readonly from: string
  readonly to: string
}

interface Listed {
  readonly before: ReadonlyMap<string, TreeFile>
  readonly after: ReadonlyMap<string, TreeFile>
}

/** By where they were. Each new place stands for one old one. */
export function findMoves(
  differing: readonly string[],
  { before, after }: Listed,
  classify: Classify,
): ReadonlyMap<string, Move> {
  const fresh = new Map<string, string[]>()
  for (const path of differing) {
    const file = after.get(path)
    if (file === undefined || before.has(path)) continue
    fresh.set(keyOf(file), [...(fresh.get(keyOf(file)) ?? []), path])
  }
  const moves = new Map<string, Move>()
  for (const from of differing) {
    const was = before.get(from)
    if (was === undefined || after.has(from) || was.kind === 'link') continue
    const seal = classify(from)
    if (seal?.kind !== 'test' || seal.fresh !== 'free') continue
    const places = fresh.get(keyOf(was)) ?? []
    const to = places.find((path) => isSamePlace(from, path, classify))
    if (to === undefined) continue
    places.splice(places.indexOf(to), 1)
    moves.set(from, { from, to })
  }
  return moves
}

const keyOf = ({ content, kind }: TreeFile): string => `${kind} ${content}`

function isSamePlace(from: string, to: string, classify: Classify): boolean {
  const place = classify(from)?.place
  const there = classify(to)
  if (there?.kind !== 'test' || there.place !== place) return false
  return endingOf(from) === endingOf(to) && !differsInCase(from, to)
}

/** Runners know tests by it. */
const endingOf = (path: string): string => /\.[^./]*$/.exec(path)?.[0] ?? ''

/** Some folder or name of the two is the same but for its case. */
function differsInCase(from: string, to: string): boolean {
  const spelled = new Map(from.split('/').map((part) => [part.toLowerCase(), part]))
  return to.split('/').some((part) => {
    const known = spelled.get(part.toLowerCase())
    return known !== undefined && known !== part
  })
}
