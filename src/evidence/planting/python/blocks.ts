/** Finds the functions and classes of a Python file by their indentation. */

import type { Line, Scan } from '../plain/scan.ts'
import type { Link } from '../test-source.ts'

export interface Block {
  readonly kind: 'class' | 'def'
  readonly name: string
  readonly links: readonly Link[]
  /** Includes its decorators. */
  readonly lines: readonly Line[]
  readonly decorators: readonly Line[]
  /** The lines of the body; empty: it is on the same line as the head. */
  readonly body: readonly Line[]
}

export const indentOf = ({ text }: Scan, line: Line): number =>
  line.start - (text.lastIndexOf('\n', line.start - 1) + 1)

const head = /^(?:(class)|(?:async\s+)?def)\s+(\w+)/

/** Functions and classes, including those inside classes. */
export function findBlocks(
  scanned: Scan,
  lines: readonly Line[],
  links: readonly Link[],
): readonly Block[] {
  const blocks: Block[] = []
  let decorators: Line[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]
    if (line === undefined) break
    const code = scanned.mask.slice(line.start, Math.min(line.end, line.start + 300))
    if (code.startsWith('@')) {
      decorators.push(line)
      continue
    }
    const found = head.exec(code)
    const before = decorators
    decorators = []
    if (found === null) continue
    const indent = indentOf(scanned, line)
    let end = index + 1
    for (let next = lines[end]; next && indentOf(scanned, next) > indent; next = lines[end])
      end += 1
    const body = lines.slice(index + 1, end)
    const kind = found[1] === undefined ? 'def' : 'class'
    const name = found[2] ?? ''
    blocks.push({ kind, name, links, lines: [...before, line, ...body], decorators: before, body })
    if (kind === 'class' && links.length < 20)
      blocks.push(...findBlocks(scanned, body, [...links, { title: [name], certain: true }]))
    index = end - 1
  }
  return blocks
}
