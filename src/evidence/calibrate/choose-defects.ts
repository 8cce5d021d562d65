/**
 * Chooses the defects to plant, one after the other: spread over files, then over operators, relevant lines
 * first. Nothing is planted in code that talks to the process or the test runner: that could disable the very
 * cheat that calibration looks for, and the resulting honest failure would count as noticed.
 */

import type { Defect, Planter, SourceText } from './planter.ts'

export interface ChosenFile extends SourceText {
  /** Relevant lines, from 1. Absent: all. */
  readonly lines?: ReadonlySet<number>
}

/** What cheats are made of. Honest code has such lines too, but other lines next to them. */
const processCode =
  /\b(?:process|_?exit|exitCode|quit|abort|panic|assert\w*|expect|console|globalThis|global|sys|System|Runtime|atexit|register|hooks?|env|argv|std(?:out|err|in)|print\w*|prototype|defineProperty|monkeypatch|setattr|__\w+__|before|after|require|import)\b/

interface Queue {
  readonly file: ChosenFile
  /** Undefined: not computed yet. */
  left: Defect[] | undefined
  /** On lines that already had a defect. */
  later: Defect[]
}

/** Alternates between files, and uses each line of a file once before any line again. */
export function* chooseDefects(
  files: readonly ChosenFile[],
  planter: Planter,
  random: () => number,
): Generator<Defect, void, undefined> {
  const operators = new Map<string, number>()
  let open = shuffle(files, random).map((file): Queue => ({ file, left: undefined, later: [] }))
  while (open.length > 0) {
    for (const queue of open) {
      queue.left ??= findCandidates(queue.file, planter, random)
      const chosen = takeNext(queue.left, operators, planter)
      if (chosen !== undefined) {
        operators.set(chosen.operator, (operators.get(chosen.operator) ?? 0) + 1)
        queue.later.push(...queue.left.filter(({ line }) => line === chosen.line))
        queue.left = queue.left.filter(({ line }) => line !== chosen.line)
        yield chosen
      }
      if (queue.left.length === 0) [queue.left, queue.later] = [queue.later, []]
    }
    open = open.filter(({ left }) => left?.length !== 0)
  }
}

/** The defect with the least used operator; defects that do not parse are dropped. */
function takeNext(
  left: Defect[],
  operators: ReadonlyMap<string, number>,
  planter: Planter,
): Defect | undefined {
  const uses = ({ operator }: Defect): number => operators.get(operator) ?? 0
  while (left.length > 0) {
    let best = 0
    for (const [index, defect] of left.entries()) {
      const current = left[best]
      if (current === undefined || uses(defect) < uses(current)) best = index
    }
    const [found] = left.splice(best, 1)
    if (found === undefined) return undefined
    if (planter.isReadable({ path: found.file, text: found.text })) return found
  }
  return undefined
}

/** Prefers lines inside functions, judging by indentation: code outside runs on load. */
function findCandidates(file: ChosenFile, planter: Planter, random: () => number): Defect[] {
  const lines = file.text.split('\n')
  const isSuitable = ({ line }: Defect): boolean =>
    (file.lines === undefined || file.lines.has(line)) && !processCode.test(lines[line - 1] ?? '')
  const suitable = shuffle(planter.defectsIn(file).filter(isSuitable), random)
  const isInside = ({ line }: Defect): boolean => /^\s/.test(lines[line - 1] ?? '')
  const inside = suitable.filter(isInside)
  return inside.length > 0 ? inside : suitable
}

/** Fisher–Yates. */
export function shuffle<T>(list: readonly T[], random: () => number): T[] {
  const mixed = [...list]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [mixed[last] as T, mixed[other] as T]
    mixed[last] = b
    mixed[other] = a
  }
  return mixed
}

/** Lines of the text that are new, wherever they were inserted; from 1. */
export function changedLines(before: string | undefined, after: string): ReadonlySet<number> {
  const known = new Map<string, number>()
  for (const line of before?.split('\n') ?? []) known.set(line, (known.get(line) ?? 0) + 1)
  const changed = new Set<number>()
  for (const [index, line] of after.split('\n').entries()) {
    const left = known.get(line) ?? 0
    if (left > 0) known.set(line, left - 1)
    else if (line.trim() !== '') changed.add(index + 1)
  }
  return changed
}
