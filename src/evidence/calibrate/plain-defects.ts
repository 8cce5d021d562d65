/**
 * Defects for any language with the usual syntax: changes one operator, keyword or number of a line. Strings,
 * comments and lines that only name other files are left alone.
 *
 * Compiled languages must still compile: a defect that the compiler finds proves nothing about the tests.
 */

import { type Family, findLanguageFamily, maskCode } from '../mask-code.ts'
import {
  createReplacement,
  type Defect,
  type Planter,
  plantedCharsMax,
  type SourceText,
} from './planter.ts'

interface PlainOperator {
  readonly name: string
  /** The languages it applies to. Absent: all. */
  readonly families?: readonly Family[]
  readonly pattern: RegExp
  /** The replacement; undefined: leave it alone. */
  replace(found: string, line: string): string | undefined
}

const swapping =
  (pairs: { readonly [sign: string]: string }) =>
  (found: string): string | undefined =>
    Object.hasOwn(pairs, found) ? pairs[found] : undefined

/** Strings can be added, but not subtracted. */
const withoutText =
  (swap: (found: string) => string | undefined) =>
  (found: string, line: string): string | undefined =>
    /["'`]/.test(line) ? undefined : swap(found)

const plainOperators: readonly PlainOperator[] = [
  {
    name: 'comparison',
    pattern: /(?<=[\w)\]"'] )(?:[<>]=?)(?= [\w("'-])/g,
    replace: swapping({ '<': '<=', '<=': '<', '>': '>=', '>=': '>' }),
  },
  {
    name: 'equality',
    pattern: /(?<= )(?:[!=]==?)(?= )/g,
    replace: swapping({ '==': '!=', '!=': '==', '===': '!==', '!==': '===' }),
  },
  {
    name: 'boolean',
    pattern: /(?<![\w.$])(?:true|false|True|False)(?![\w$])/g,
    replace: swapping({ true: 'false', false: 'true', True: 'False', False: 'True' }),
  },
  {
    name: 'logic',
    pattern: /(?<= )(?:&&|\|\||and|or)(?= )/g,
    replace: swapping({ '&&': '||', '||': '&&', and: 'or', or: 'and' }),
  },
  {
    name: 'negation',
    families: ['script', 'go', 'rust', 'java'],
    pattern: /(?<=[\s(,=&|])!(?=[\w(])/g,
    replace: () => '',
  },
  {
    name: 'negation',
    families: ['python', 'ruby'],
    pattern: /(?<!\bis )\bnot (?!in\b)/g,
    replace: () => '',
  },
  {
    name: 'arithmetic',
    pattern: /(?<=[\w)\]] )(?:[+\-*/]=?)(?= [\w(])/g,
    replace: withoutText(
      swapping({ '+': '-', '-': '+', '*': '/', '/': '*', '+=': '-=', '-=': '+=', '*=': '/=' }),
    ),
  },
  {
    name: 'number',
    pattern: /(?<![\w.$'"])\d{1,6}(?![\w.$'"])/g,
    replace: (found) => `${Number(found) + 1}`,
  },
  {
    name: 'answer',
    families: ['python'],
    pattern: /(?<=^[ \t]+return )[^\n]+$/gm,
    // The value is still computed.
    replace: (found) => (isComplete(found) ? `(${found.trimEnd()}, None)[1]` : undefined),
  },
  {
    name: 'answer',
    families: ['script'],
    pattern: /(?<=^[ \t]+return )[^\n;]+(?=;?$)/gm,
    replace: (found) => (isComplete(found) ? `void (${found.trimEnd()})` : undefined),
  },
]

const brackets = ['()', '[]', '{}'] as const

const isComplete = (part: string): boolean =>
  brackets.every((pair) => count(part, pair.charAt(0)) === count(part, pair.charAt(1))) &&
  !/^[=>]|[,+\-*/&|=<>?:.\\]\s*$/.test(part)

const count = (text: string, part: string): number => text.split(part).length - 1

/** Lines that name other files, or that are directives for the compiler. */
const declarationLines =
  /^\s*(?:import|from|use|using|package|module|mod|require|include|export\s+[*{]|extern|namespace|#|@|\/\/|pub\s+use)\b|^\s*[#@]/

/** Rust tests are at the end of the file. */
const rustTestsMarker = '#[cfg(test)]'

/** Per file, however long (E9). */
const defectsMax = 2000

export function plainDefectsIn(file: SourceText): readonly Defect[] {
  const family = findLanguageFamily(file.path)
  if (family === undefined || file.text.length > plantedCharsMax) return []
  const testsAt = family === 'rust' ? file.text.indexOf(rustTestsMarker) : -1
  const code = maskCode(family, testsAt === -1 ? file.text : file.text.slice(0, testsAt))
  const defects: Defect[] = []
  for (const operator of plainOperators) {
    if (operator.families?.includes(family) === false) continue
    for (const { 0: found, index } of code.matchAll(operator.pattern)) {
      if (defects.length >= defectsMax) return defects
      const line = lineAround(code, index)
      if (declarationLines.test(line)) continue
      const end = index + found.length
      const replacement = operator.replace(
        // Only an answer is long enough to contain a string.
        operator.name === 'answer' ? file.text.slice(index, end) : found,
        line,
      )
      if (replacement === undefined) continue
      const defect = createReplacement(file, operator.name, [index, end], replacement)
      if (defect !== undefined) defects.push(defect)
    }
  }
  return defects
}

function lineAround(code: string, at: number): string {
  const end = code.indexOf('\n', at)
  return code.slice(code.lastIndexOf('\n', at - 1) + 1, end === -1 ? code.length : end)
}

/** Does not parse: it only swaps tokens of the same kind. */
export const plainPlanter: Planter = { defectsIn: plainDefectsIn, isReadable: () => true }
