/** Plants failures in a Python test: `raise AssertionError`, and other expected values. */

import { otherLiteral } from '../plain/other-value.ts'
import { findOutside, type Line, type Scan, splitArguments } from '../plain/scan.ts'
import { type ChangedFile, type Edit, insert, type PlantKind } from '../test-source.ts'
import { type Block, indentOf } from './blocks.ts'
import { restate } from './restate.ts'

type Edits = readonly Edit[]

const continuesStatement = /^(?:else|elif|except|finally|case)\b/

function plantRaise(scanned: Scan, block: Block, kind: 'before' | 'after', marker: string): Edits {
  const raise = `raise AssertionError(${JSON.stringify(marker)})`
  const code = (line: Line): string => scanned.mask.slice(line.start, line.end)
  const [first] = block.body
  const indent = first === undefined ? 0 : indentOf(scanned, first)
  const own = block.body.filter((line) => indentOf(scanned, line) === indent)
  const last = own.findLast((line) => !continuesStatement.test(code(line)))
  const end = block.body.at(-1)
  if (first === undefined || last === undefined || end === undefined) return []
  const space = scanned.text.slice(first.start - indent, first.start)
  const returns = block.body.flatMap((line) => {
    const found = findOutside(scanned, line, /\breturn\b/g)
    if (found === undefined || (line === last && kind === 'after')) return []
    return [insert(found.at, `${raise}; `)]
  })
  if (kind === 'before') return [insert(last.start, `${raise}\n${space}`), ...returns]
  const returned = /^return\b/.exec(code(last))
  const isEmpty = last.end - last.start === 'return'.length
  if (returned !== null)
    return [
      { at: last.start, end: last.start + 6, text: isEmpty ? 'pass' : '_ =' },
      insert(last.end, `; ${raise}`),
      ...returns,
    ]
  return [insert(end.end, `\n${space}${raise}`), ...returns]
}

function otherValue(scanned: Scan, part: Line, marker: string): Edits {
  const old = scanned.text.slice(part.start, part.end)
  const replace = (text: string): Edits => [{ at: part.start, end: part.end, text }]
  const quoted = JSON.stringify(marker)
  const whole = scanned.closing.get(part.start) === part.end - 1
  if (old.startsWith('[') && whole && !/\bfor\b/.test(old)) return replace(`[*${old}, ${quoted}]`)
  // Further away than any likely tolerance.
  if (/^-?\d{1,12}(?:\.\d+)?$/.test(old)) return replace(String(Number(old) + 1009))
  return replace(otherLiteral(old, marker) ?? quoted)
}

const unrelatedClass = 'type("Other", (Exception,), {})'

/** `assert a == b, message` */
function readAssert(scanned: Scan, line: Line, marker: string): Edits | undefined {
  const [condition] = splitArguments(scanned, line.start + 'assert'.length, line.end)
  if (condition === undefined || findOutside(scanned, condition, /\b(?:or|if|lambda|not)\b/g))
    return undefined
  const and = findOutside(scanned, condition, /\band\b/g)
  const start = and === undefined ? condition.start : and.at + 3
  const sign = findOutside(scanned, { start, end: condition.end }, /[=!<>]=|[<>]|\b(?:is|in)\b/g)
  if (sign === undefined || sign.found === '!=') return undefined
  const from = sign.at + sign.found.length
  const gap = scanned.mask.slice(from, condition.end)
  const right = { ...condition, start: from + gap.length - gap.trimStart().length }
  if (/[<>]/.test(sign.found)) return [{ at: right.start, end: right.end, text: 'float("nan")' }]
  if (sign.found === 'in') {
    const left = scanned.mask.slice(start, sign.at)
    const at = start + left.length - left.trimStart().length
    return [{ at, end: start + left.trimEnd().length, text: JSON.stringify(marker) }]
  }
  return otherValue(scanned, right, marker)
}

const calls = /\b(?:self\.(assert\w+)|pytest\.(raises|warns)|(raises|warns))\s?\(/g

function readCalls(scanned: Scan, line: Line, marker: string): Edits | undefined {
  const found = [...scanned.mask.slice(line.start, line.end).matchAll(calls)].at(-1)
  if (found === undefined) return undefined
  const name = found[1] ?? found[2] ?? found[3] ?? ''
  const open = line.start + found.index + found[0].length - 1
  const given = splitArguments(scanned, open + 1, scanned.closing.get(open) ?? open)
  const replace = (part: Line | undefined, text: string): Edits | undefined =>
    part && [{ at: part.start, end: part.end, text }]
  if (/Not|True|False|None|NoLogs/.test(name)) return undefined
  if (/Raises|Warns|raises|warns/.test(name)) {
    const match = given.find((part) => scanned.mask.slice(part.start, part.end).startsWith('match'))
    if (match !== undefined) return replace(match, `match=${JSON.stringify(marker)}`)
    if (/Regex/.test(name)) return replace(given[1], JSON.stringify(marker))
    return replace(given[0], unrelatedClass)
  }
  if (/Greater|Less/.test(name)) return replace(given[1], 'float("nan")')
  if (name === 'assertIsInstance') return replace(given[1], unrelatedClass)
  if (name === 'assertIn') return replace(given[0], JSON.stringify(marker))
  const [, expected] = given
  return expected && otherValue(scanned, expected, marker)
}

/** `if a != b: raise …` */
function readIf(
  scanned: Scan,
  line: Line,
  next: Line | undefined,
  marker: string,
): Edits | undefined {
  const colon = findOutside(scanned, line, /:/g)
  const sign = findOutside(scanned, line, /!=/g)
  const after = `${scanned.mask.slice(colon?.at ?? line.end, line.end)} ${next ? scanned.mask.slice(next.start, next.end) : ''}`
  if (colon === undefined || sign === undefined || !/\b(?:raise|fail)\b/.test(after))
    return undefined
  const gap = scanned.mask.slice(sign.at + 2, colon.at)
  const start = sign.at + 2 + gap.length - gap.trimStart().length
  return otherValue(scanned, { start, end: colon.at, next: 0 }, marker)
}

/** The last one that is always reached; else all of them, because parameters decide which one is. */
function plantValue(scanned: Scan, block: Block, marker: string): Edits | string {
  const always = alwaysReached(scanned, block)
  const found = block.body.flatMap((line, index): readonly (readonly [Line, Edits])[] => {
    const code = scanned.mask.slice(line.start, line.end)
    const edits = /^assert\b/.test(code)
      ? readAssert(scanned, line, marker)
      : /^if\b/.test(code)
        ? readIf(scanned, line, block.body[index + 1], marker)
        : readCalls(scanned, line, marker)
    return edits === undefined ? [] : [[line, edits]]
  })
  if (found.length === 0) return 'no expected value'
  const last = found.findLast(([line]) => always.has(line))
  return last?.[1] ?? found.flatMap(([, edits]) => edits)
}

const conditional = /^(?:if|elif|else|except|case|for|while)\b/

/** Lines outside of branches and loops. */
function alwaysReached(scanned: Scan, { body }: Block): ReadonlySet<Line> {
  const reached = new Set<Line>()
  let branch = Number.POSITIVE_INFINITY
  for (const line of body) {
    const indent = indentOf(scanned, line)
    if (indent <= branch) branch = Number.POSITIVE_INFINITY
    if (branch < indent) continue
    reached.add(line)
    if (conditional.test(scanned.mask.slice(line.start, line.end))) branch = indent
  }
  return reached
}

export function plantPython(
  scanned: Scan,
  block: Block,
  kind: PlantKind,
  marker: string,
  work: readonly ChangedFile[] = [],
): Edits | string {
  const decorators = block.decorators.map((line) => scanned.mask.slice(line.start, line.end))
  if (decorators.some((code) => /\bxfail\b|expectedFailure/.test(code)))
    return 'it is marked as expected to fail'
  if (block.body.length === 0) return 'its body is on the line of its name'
  if (kind === 'restated') return restate(scanned, block, marker, work)
  if (kind === 'value') return plantValue(scanned, block, marker)
  return plantRaise(scanned, block, kind, marker)
}
