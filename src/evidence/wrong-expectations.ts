/**
 * Defects of tests: an expectation that cannot be met. Where such a test passes, nobody heard what the tests
 * said. Unlike a defect in code it has no harmless form, needs no coverage, and leaves alone whatever the
 * code under test may do to the runner.
 *
 * What is expected is changed rather than how it is asked, since a library that was tampered with may be
 * tampered with in one function only.
 */

import { type Family, familyOf, maskCode } from './mask-code.ts'
import { type Defect, plantedCharsMax, replacing, type SourceText } from './planter.ts'

interface Expectation {
  readonly families: readonly Family[]
  readonly pattern: RegExp
  /** Which argument after the bracket is changed, and into what. */
  readonly argument?: readonly [index: number, into: (argument: string) => string]
  /** Or what stands in place of the words found. */
  readonly words?: (found: string) => string
}

const another = (argument: string): string => `[${argument}, 1]`

/** As plain as it was: code that reads what is expected from the test would give that, and pass. */
function alike(argument: string): string {
  if (/^\d{1,9}$/.test(argument)) return String(Number(argument) + 1)
  const quoted = /^(['"])[\w ]*\1$/.exec(argument)
  return quoted === null ? another(argument) : `${argument.slice(0, -1)}x${quoted[1]}`
}

const script: readonly Family[] = ['script']
const python: readonly Family[] = ['python']

const expectations: readonly Expectation[] = [
  {
    families: script,
    pattern:
      /(?<![\w.$])(?:(?:assert|t|tap|tape|test)\s?\.\s?(?:is|same|equals)|(?:\w{1,40}\.){0,2}(?:equal|strictEqual|deepEqual|deepStrictEqual))\s?\(/g,
    argument: [1, alike],
  },
  {
    families: script,
    pattern:
      /(?<=\)(?:\.(?!not\b)\w{1,20}){0,3})\.(?:toBe|toEqual|toStrictEqual|toHaveLength|equal|equals|eql)\s?\(/g,
    argument: [0, alike],
  },
  {
    families: script,
    pattern: /(?<=\)(?:\.(?!not\b)\w{1,20}){0,3})\.toContain\s?\(/g,
    argument: [0, another],
  },
  {
    families: script,
    pattern: /(?<![\w.$])assert(?:\.ok)?\s?\(/g,
    argument: [0, (argument) => `!(${argument})`],
  },
  {
    families: python,
    pattern: /\.assert(?:Equals?|Is|ListEqual|DictEqual|TupleEqual|SetEqual|MultiLineEqual)\s?\(/g,
    argument: [1, alike],
  },
  { families: python, pattern: /\.assert(?:True|False)\s?\(/g, argument: [0, (x) => `not (${x})`] },
  {
    families: ['go'],
    pattern: /(?:!=|==)(?<=\bif [^\n{]{0,200})(?=[^\n{]{1,200}\{)/g,
    words: (found) => (found === '!=' ? '==' : '!='),
  },
  { families: ['go'], pattern: /\b(?:assert|require)\.Equal\(/g, words: negated('.', '.Not') },
  { families: ['rust'], pattern: /\bassert_eq!/g, words: () => 'assert_ne!' },
  { families: ['rust'], pattern: /\bassert!\s?\(/g, argument: [0, (x) => `!(${x})`] },
  {
    families: ['java'],
    pattern: /\b(?:assertEquals|assertTrue|assertFalse|isEqualTo|AreEqual)(?=\s?\()/g,
    words: (found) => opposites[found] ?? found,
  },
  { families: ['ruby'], pattern: /\bassert_equal\b/g, words: () => 'refute_equal' },
  { families: ['ruby'], pattern: /\.to (?=eq\b|be\b)/g, words: () => '.not_to ' },
]

const opposites: { readonly [name: string]: string } = {
  assertEquals: 'assertNotEquals',
  assertTrue: 'assertFalse',
  assertFalse: 'assertTrue',
  isEqualTo: 'isNotEqualTo',
  AreEqual: 'AreNotEqual',
}

function negated(part: string, by: string): (found: string) => string {
  return (found) => found.replace(part, by)
}

/** In the order of the file. */
export function wrongExpectationsIn(file: SourceText): readonly Defect[] {
  const family = familyOf(file.path)
  if (family === undefined || file.text.length > plantedCharsMax) return []
  const code = maskCode(family, file.text)
  const defects = [...expectationsIn(file, family, code)]
  if (family === 'python') defects.push(...bareAssertions(file, code))
  return defects.toSorted((one, other) => one.line - other.line)
}

const expectationsMax = 2000

function* expectationsIn(file: SourceText, family: Family, code: string): Generator<Defect> {
  let left = expectationsMax
  for (const { families, pattern, argument, words } of expectations) {
    if (!families.includes(family)) continue
    for (const { 0: found, index } of code.matchAll(pattern)) {
      if (left-- <= 0) return
      const end = index + found.length
      const operator = `expectation ${found.replaceAll(/[\s(]/g, '')}`
      if (words !== undefined) {
        const defect = replacing(file, operator, [index, end], words(found))
        if (defect !== undefined) yield defect
        continue
      }
      if (argument === undefined) continue
      const place = argumentsAt(code, end)[argument[0]]
      if (place === undefined) continue
      const wrong = argument[1](file.text.slice(...place))
      const defect = replacing(file, operator, place, wrong)
      if (defect !== undefined) yield defect
    }
  }
}

/** `assert a == b, 'why'`, on one line. */
function* bareAssertions(file: SourceText, code: string): Generator<Defect> {
  for (const { 0: found, index } of code.matchAll(/(?<=^[ \t]+assert )[^\n]+$/gm)) {
    const place = argumentsAt(`${code.slice(0, index + found.length)})`, index)[0]
    if (place === undefined) continue
    const wrong = `not (${file.text.slice(...place)})`
    const defect = replacing(file, 'expectation assert', place, wrong)
    if (defect !== undefined) yield defect
  }
}

const argumentCharsMax = 4000

/** Where each argument begins and ends; none if the bracket is not closed soon. */
function argumentsAt(code: string, from: number): readonly (readonly [number, number])[] {
  const places: (readonly [number, number])[] = []
  let start = from
  let depth = 0
  for (let at = from; at < Math.min(code.length, from + argumentCharsMax); at++) {
    const sign = code[at] ?? ''
    if ('([{'.includes(sign)) depth++
    const closes = ')]}'.includes(sign)
    if (depth === 0 && (closes || sign === ',')) {
      const place = trimmed(code, start, at)
      if (place !== undefined) places.push(place)
      start = at + 1
      if (closes) return places
    }
    if (closes) depth--
  }
  return []
}

function trimmed(code: string, from: number, to: number): readonly [number, number] | undefined {
  const part = code.slice(from, to)
  if (part.trim() === '') return undefined
  const start = from + (part.length - part.trimStart().length)
  return [start, start + part.trim().length]
}
