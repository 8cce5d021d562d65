/**
 * Which defects are planted, one after the other: spread over files, then over operators, on the lines
 * that count first. Nothing is planted where code speaks to the process or to the runner: that could
 * disarm the very cheat that is looked for, and the honest failure behind it would pass for a notice.
 */

import type { Defect, Planter, SourceText } from './planter.ts'

export interface ChosenFile extends SourceText {
  /** Lines that count, from 1; absent: all. */
  readonly lines?: ReadonlySet<number>
  /** Some test has its name. */
  readonly isSpokenOf?: true
  /** It belongs to what judges. */
  readonly isSealed?: true
}

/** What a cheat is made of. Honest code has such lines too, and others beside them. */
const speaksToTheProcess =
  /\b(?:process|_?exit|exitCode|quit|abort|panic|assert\w*|expect|console|globalThis|global|sys|System|Runtime|atexit|register|hooks?|env|argv|std(?:out|err|in)|print\w*|prototype|defineProperty|monkeypatch|setattr|__\w+__|before|after|require|import)\b/

interface Queue {
  readonly file: ChosenFile
  /** Undefined: not looked at yet. */
  left: Defect[] | undefined
  /** On lines that had one already. */
  later: Defect[]
}

/** One file after the other, and each line of a file before any line again; ends when nothing is left. */
export function* chooseDefects(
  files: readonly ChosenFile[],
  planter: Planter,
  random: () => number,
): Generator<Defect, void, undefined> {
  const operators = new Map<string, number>()
  let open = shuffled(files, random).map((file): Queue => ({ file, left: undefined, later: [] }))
  while (open.length > 0) {
    for (const queue of open) {
      queue.left ??= candidatesIn(queue.file, planter, random)
      const found = nextOf(queue.left, operators, planter)
      if (found !== undefined) {
        operators.set(found.operator, (operators.get(found.operator) ?? 0) + 1)
        queue.later.push(...queue.left.filter(({ line }) => line === found.line))
        queue.left = queue.left.filter(({ line }) => line !== found.line)
        yield found
      }
      if (queue.left.length === 0) [queue.left, queue.later] = [queue.later, []]
    }
    open = open.filter(({ left }) => left?.length !== 0)
  }
}

/** The one whose operator was used least; what cannot be read is left out for good. */
function nextOf(
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

/** Inside of functions first, as far as the margin tells: what is outside runs when it is loaded. */
function candidatesIn(file: ChosenFile, planter: Planter, random: () => number): Defect[] {
  const lines = file.text.split('\n')
  const isFit = ({ line }: Defect): boolean =>
    (file.lines === undefined || file.lines.has(line)) &&
    !speaksToTheProcess.test(lines[line - 1] ?? '')
  const fit = shuffled(planter.defectsIn(file).filter(isFit), random)
  const isInside = ({ line }: Defect): boolean => /^\s/.test(lines[line - 1] ?? '')
  const inside = fit.filter(isInside)
  return inside.length > 0 ? inside : fit
}

/** Fisher and Yates. */
export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const mixed = [...list]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const [a, b] = [mixed[last] as T, mixed[other] as T]
    mixed[last] = b
    mixed[other] = a
  }
  return mixed
}

/** Lines of the text that were not there before, wherever they stood; from 1. */
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
