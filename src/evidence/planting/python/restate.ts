/**
 * Restates what a Python test expects. `assert f(1) == 3` becomes `assert again("==", f(1) , 3)`, and likewise the
 * methods of unittest. The function compares as the test does, and also fails if code of the work decides the result: an
 * object of a type with an `__eq__` that the work adds or changes, unless it is compared with an object of the same type
 * with the same fields. Honest tests still pass.
 */

import { findOutside, type Line, type Scan, splitArguments } from '../plain/scan.ts'
import { type ChangedFile, type Edit, insert } from '../test-source.ts'
import { type Block, indentOf } from './blocks.ts'
import { restatingFunction } from './restating-function.ts'

type Edits = readonly Edit[]
interface Part {
  readonly start: number
  readonly end: number
}

export function restate(
  scanned: Scan,
  block: Block,
  marker: string,
  work: readonly ChangedFile[],
): Edits | string {
  const [first] = block.body
  if (first === undefined) return 'its body is on the line of its name'
  const name = marker.replaceAll(/\W/g, '_').toLowerCase()
  const edits = block.body.flatMap((line): Edits => {
    const code = scanned.mask.slice(line.start, line.end)
    if (!/^assert\b/.test(code)) return restateMethod(scanned, line, name)
    const [condition] = splitArguments(scanned, line.start + 'assert'.length, line.end)
    return condition === undefined ? [] : restateCondition(scanned, condition, name)
  })
  if (edits.length === 0) return 'no comparison'
  const space = scanned.text.slice(first.start - indentOf(scanned, first), first.start)
  const lines = restatingFunction(name, marker, work)
  return [insert(first.start, lines.map((line) => `${line}\n${space}`).join('')), ...edits]
}

const signs = /[=!<>]=|(?<![<>])[<>](?![<>])|\bis\s+not\b|\bnot\s+in\b|\bis\b|\bin\b/g
const unclear = /\b(?:or|if|lambda|await\s+not)\b|:=/g

/** Splits at `and`; each part has one comparison. */
function restateCondition(scanned: Scan, condition: Part, name: string): Edits {
  const { start, end } = trim(scanned, condition)
  if (findOutside(scanned, { start, end }, unclear) !== undefined) return []
  const and = findOutside(scanned, { start, end }, /\band\b/g)
  if (and !== undefined)
    return [
      ...restateCondition(scanned, { start, end: and.at }, name),
      ...restateCondition(scanned, { start: and.at + 3, end }, name),
    ]
  const code = scanned.mask.slice(start, end)
  const call = /^isinstance\s?\(/.exec(code)?.[0]
  if (call !== undefined && scanned.closing.get(start + call.length - 1) === end - 1)
    return [{ at: start, end: start + call.length, text: `${name}("isinstance", ` }]
  const sign = findOutside(scanned, { start, end }, signs)
  if (sign === undefined || /^not\b/.test(code)) return []
  // `1 < x == 3` compares twice.
  if (findOutside(scanned, { start, end: sign.at }, signs) !== undefined) return []
  const operator = sign.found.replaceAll(/\s+/g, ' ')
  return [
    insert(start, `${name}("${operator}", `),
    { at: sign.at, end: sign.at + sign.found.length, text: ',' },
    insert(end, ')'),
  ]
}

function trim({ mask }: Scan, { start, end }: Part): Part {
  const code = mask.slice(start, end)
  return {
    start: start + code.length - code.trimStart().length,
    end: start + code.trimEnd().length,
  }
}

const methods: Readonly<Record<string, string>> = {
  assertEqual: '==',
  assertEquals: '==',
  assertListEqual: '==',
  assertTupleEqual: '==',
  assertDictEqual: '==',
  assertSetEqual: '==',
  assertSequenceEqual: '==',
  assertMultiLineEqual: '==',
  assertAlmostEqual: '~',
  assertIn: 'in',
  assertIs: 'is',
  assertIsInstance: 'isinstance',
  assertLess: '<',
  assertLessEqual: '<=',
  assertGreater: '>',
  assertGreaterEqual: '>=',
}

/** `self.assertEqual(f(1), 3, "why")`, `self.assertTrue(f(1) == 3)`. */
function restateMethod(scanned: Scan, line: Line, name: string): Edits {
  const found = /^self\.(assert\w{1,40})\s?\(/.exec(scanned.mask.slice(line.start, line.end))
  const method = found?.[1] ?? ''
  const open = line.start + (found?.[0].length ?? 0) - 1
  const [first, second] = splitArguments(scanned, open + 1, scanned.closing.get(open) ?? open)
  if (found === null || first === undefined) return []
  if (method === 'assertTrue') return restateCondition(scanned, first, name)
  const operator = Object.hasOwn(methods, method) ? methods[method] : undefined
  const given = [first, second].map((part) => part && scanned.mask.slice(part.start, part.end))
  if (operator === undefined || second === undefined) return []
  if (given.some((part) => /^(?:\*|\w+\s*=(?!=))/.test(part ?? ''))) return []
  return [insert(first.start, `*${name}("${operator}", `), insert(second.end, ')')]
}
