/** Changes expected values in a Go or Rust test. They must keep their type, or nothing compiles. */

import { otherLiteral } from '../plain/other-value.ts'
import { type Scan, splitArguments } from '../plain/scan.ts'
import type { Edit } from '../test-source.ts'
import type { TestFunction } from './functions.ts'

interface Part {
  readonly start: number
  readonly end: number
}

type Edits = readonly Edit[]

const notLiteral = 'its expected value is not a literal'

function replaceLiteral({ text }: Scan, { start, end }: Part, marker: string): Edits | undefined {
  const old = text.slice(start, end)
  const other = old.startsWith("'") ? (old === "'~'" ? "'^'" : "'~'") : otherLiteral(old, marker)
  return other === undefined ? undefined : [{ at: start, end, text: other }]
}

const literals = /(?:\bb?r#{0,20})?"\s*"#{0,20}|(?<![\w.])\d[\d_]*(?:\.\d+)?\w*|\b(?:true|false)\b/g

/** Changes the last literal in an expression: `vec![1, 2]`, `Some("a")`. */
function replaceInside(scanned: Scan, part: Part, marker: string): Edits | undefined {
  for (const found of [
    ...scanned.mask.slice(part.start, part.end).matchAll(literals),
  ].toReversed()) {
    const start = part.start + found.index
    const edits = replaceLiteral(scanned, { start, end: start + found[0].length }, marker)
    if (edits !== undefined) return edits
  }
  return undefined
}

interface Call {
  readonly at: number
  readonly name: string
  readonly given: readonly Part[]
}

/** Calls in the body of a test. The pattern ends with the opening bracket and captures the name. */
function findCalls(scanned: Scan, { open, close }: TestFunction, pattern: RegExp): readonly Call[] {
  return [...scanned.mask.slice(open, close).matchAll(pattern)].map((found) => {
    const bracket = open + found.index + found[0].length - 1
    const end = scanned.closing.get(bracket) ?? bracket
    return {
      at: open + found.index,
      name: found[1] ?? '',
      given: splitArguments(scanned, bracket + 1, end),
    }
  })
}

/** The right side of a comparison, up to the end of the condition. */
function findCompared(scanned: Scan, part: Part, pattern: RegExp): readonly Part[] {
  const code = scanned.mask.slice(part.start, part.end)
  return [...code.matchAll(pattern)].map((found) => {
    const from = found.index + found[0].length
    const rest = code.slice(from)
    const length = /^(?:"\s*"|[^\n&|{;,])*/.exec(rest)?.[0].trimEnd().length ?? 0
    return { start: part.start + from, end: part.start + from + length }
  })
}

export function plantRustValue(scanned: Scan, test: TestFunction, marker: string): Edits | string {
  const calls = findCalls(scanned, test, /\b(assert_eq|assert)!\s*[([{]/g)
  let why = 'no expected value'
  for (const { name, given } of calls.toReversed()) {
    const [first, second] = given
    if (first === undefined) continue
    const parts = name === 'assert_eq' ? [second, first] : findCompared(scanned, first, /==\s*/g)
    if (parts.length > 0) why = notLiteral
    const known = parts.filter((part) => part !== undefined)
    for (const part of known) {
      const edits = replaceLiteral(scanned, part, marker)
      if (edits !== undefined) return edits
    }
    const inside = known[0] && replaceInside(scanned, known[0], marker)
    if (inside !== undefined) return inside
  }
  return why
}

/** Changes what `want` is set to: `want := 3`, or `want: 3` in a table. */
function replaceNamed(
  scanned: Scan,
  test: TestFunction,
  part: Part,
  marker: string,
): Edits | undefined {
  // An element of a list is changed where the list is defined.
  const name = scanned.mask.slice(part.start, part.end).replace(/\[[\w. +-]{1,60}\]$/, '')
  const field = /^[\w.[\]]*\.(\w+)$/.exec(name)?.[1]
  const variable = /^\w+$/.exec(name)?.[0]
  const word = field ?? variable
  if (word === undefined || word.length > 60) return undefined
  const assigned = field === undefined ? '(?:\\s*:?=|\\s+(?:\\w+\\s*)?=)' : ':'
  const pattern = new RegExp(`\\b${word}${assigned}[ \\t]{0,40}`, 'g')
  const [from, to] = test.scope
  const edits = [...scanned.mask.slice(from, to).matchAll(pattern)].flatMap((found) => {
    const start = from + found.index + found[0].length
    const line = /^(?:"\s*"|[^\n,}"])*/.exec(scanned.mask.slice(start, start + 2000))?.[0].trimEnd()
    const end = start + (line?.length ?? 0)
    // Its values come from elsewhere.
    if (/^range\b/.test(line ?? '')) return []
    const open = (line ?? '').search(/[({]/)
    const close = open < 0 ? undefined : scanned.closing.get(start + open)
    return replaceInside(scanned, { start, end: close ?? end }, marker) ?? []
  })
  return edits.length > 0 ? edits : undefined
}

const compares = /\b(?:(?:assert|require)\.(\w+)|reflect\.(?:DeepEqual)|cmp\.(?:Diff|Equal))\s?\(/g
const second =
  /^(?:Equal|EqualValues|Exactly|JSONEq|YAMLEq|ElementsMatch|InDelta|InEpsilon|IsType)f?$/
const third = /^(?:Contains|Len|EqualError|ErrorContains|ErrorIs|Subset)f?$/

function readGoCall(scanned: Scan, { name, given }: Call, marker: string): Edits | undefined {
  const index = name === '' || second.test(name) ? 1 : third.test(name) ? 2 : undefined
  const expected = index === undefined ? undefined : given[index]
  if (expected === undefined) return undefined
  const { start, end } = expected
  const literal = replaceLiteral(scanned, expected, marker)
  if (literal !== undefined || index === 2) return literal
  const old = scanned.text.slice(start, end)
  return [{ at: start, end, text: `[]interface{}{${old}, ${JSON.stringify(marker)}}` }]
}

/** A literal on either side, else what a variable is set to: one that is named like an expectation first. */
function replaceSide(
  scanned: Scan,
  test: TestFunction,
  right: Part,
  marker: string,
): Edits | undefined {
  const before = scanned.mask.slice(Math.max(test.open, right.start - 200), right.start)
  const [, side = '', sign = ''] = /([\w.[\]]+|"\s*")(\s*!=\s*)$/.exec(before) ?? []
  const end = right.start - sign.length
  const sides = side === '' ? [right] : [right, { start: end - side.length, end }]
  const named = sides.toSorted(
    (a, b) => rankAsExpectation(scanned, b) - rankAsExpectation(scanned, a),
  )
  for (const part of sides) {
    const edits = replaceLiteral(scanned, part, marker)
    if (edits !== undefined) return edits
  }
  for (const part of named) {
    const edits = replaceNamed(scanned, test, part, marker)
    if (edits !== undefined) return edits
  }
  return undefined
}

const rankAsExpectation = ({ mask }: Scan, { start, end }: Part): number =>
  Number(/want|exp|should|golden/i.test(mask.slice(start, end)))

export function plantGoValue(scanned: Scan, test: TestFunction, marker: string): Edits | string {
  const body = { start: test.open, end: test.close }
  const helper = new RegExp(
    `(?<=[\\n;{][ \\t]{0,200})(\\w{1,60})\\s?\\(\\s?(?=${test.parameter},)`,
    'g',
  )
  const written = [
    ...findCalls(scanned, test, compares).map((call) => ({
      at: call.at,
      edits: readGoCall(scanned, call, marker),
    })),
    ...findCompared(scanned, body, /!=\s*/g)
      .filter(({ start, end }) => scanned.mask.slice(start, end) !== 'nil')
      .map((part) => ({ at: part.start, edits: replaceSide(scanned, test, part, marker) })),
    ...findCalls(scanned, test, helper).map(({ at, given }) => {
      const last = given.at(-1)
      return {
        at,
        edits: last && given.length > 1 ? replaceLiteral(scanned, last, marker) : undefined,
      }
    }),
  ].toSorted((a, b) => a.at - b.at)
  if (written.length === 0) return 'no expected value'
  return written.findLast((one) => one.edits !== undefined)?.edits ?? notLiteral
}
