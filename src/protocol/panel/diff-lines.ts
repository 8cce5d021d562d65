/** The lines of two texts side by side, for panels. The shared start and end are found first; the middle by its longest common lines. */

export interface DiffLine {
  readonly type: 'same' | 'removed' | 'added'
  readonly text: string
}

/** A larger middle is shown as removed and added as a whole. */
const cellsMax = 250_000

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = toLines(before)
  const now = toLines(after)
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  const endMax = Math.min(old.length, now.length) - start
  while (end < endMax && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  return [
    ...asLines('same', old.slice(0, start)),
    ...diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...asLines('same', old.slice(old.length - end)),
  ]
}

const toLines = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n')

const asLines = (type: DiffLine['type'], lines: readonly string[]): readonly DiffLine[] =>
  lines.map((text) => ({ type, text }))

function diffMiddle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  if (old.length * now.length > cellsMax) {
    return [...asLines('removed', old), ...asLines('added', now)]
  }
  const width = now.length + 1
  // `common[i, j]`: how many lines the ends of both have in common.
  const common = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [one, other] = [old[i], now[j]]
    if (one !== undefined && one === other) {
      lines.push({ type: 'same', text: one })
      i++
      j++
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ type: 'removed', text: one })
      i++
    } else if (other !== undefined) {
      lines.push({ type: 'added', text: other })
      j++
    }
  }
  return lines
}

/** Runs of lines that are the same are left out but for these around each change. */
const contextLines = 3

export interface DiffGap {
  readonly type: 'gap'
  readonly lines: number
}

export function withoutDistant(lines: readonly DiffLine[]): readonly (DiffLine | DiffGap)[] {
  const isNear = lines.map(() => false)
  for (const [at, { type }] of lines.entries()) {
    if (type !== 'same') isNear.fill(true, Math.max(0, at - contextLines), at + contextLines + 1)
  }
  const shown: (DiffLine | DiffGap)[] = []
  let left = 0
  for (const [at, line] of lines.entries()) {
    if (isNear[at] === true) {
      if (left > 0) shown.push({ type: 'gap', lines: left })
      left = 0
      shown.push(line)
    } else left++
  }
  return left > 0 ? [...shown, { type: 'gap', lines: left }] : shown
}
