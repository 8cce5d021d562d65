/**
 * Defects for any language that is written with the usual signs: one sign, word or number of a line is
 * changed. Strings and comments are left alone, and so is what only names other files.
 *
 * Compiled languages must still compile: a defect that the compiler finds says nothing about the tests.
 */

import { type Family, familyOf, maskCode } from '../mask-code.ts'
import {
  type Defect,
  type Planter,
  plantedCharsMax,
  replacing,
  type SourceText,
} from './planter.ts'

interface PlainOperator {
  readonly name: string
  /** Those whose signs these are; absent: all. */
  readonly families?: readonly Family[]
  readonly pattern: RegExp
  /** What stands there instead; undefined: better not. */
  replace(found: string, line: string): string | undefined
}

const swapping =
  (pairs: { readonly [sign: string]: string }) =>
  (found: string): string | undefined =>
    Object.hasOwn(pairs, found) ? pairs[found] : undefined

/** Of two texts there is a sum and no difference. */
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
    // Whatever is done to get at it is still done.
    replace: (found) => (isWhole(found) ? `(${found.trimEnd()}, None)[1]` : undefined),
  },
  {
    name: 'answer',
    families: ['script'],
    pattern: /(?<=^[ \t]+return )[^\n;]+(?=;?$)/gm,
    replace: (found) => (isWhole(found) ? `void (${found.trimEnd()})` : undefined),
  },
]

const brackets = ['()', '[]', '{}'] as const

const isWhole = (part: string): boolean =>
  brackets.every((pair) => count(part, pair.charAt(0)) === count(part, pair.charAt(1))) &&
  !/^[=>]|[,+\-*/&|=<>?:.\\]\s*$/.test(part)

const count = (text: string, part: string): number => text.split(part).length - 1

/** They name other files, or say something to the compiler. */
const namingLines =
  /^\s*(?:import|from|use|using|package|module|mod|require|include|export\s+[*{]|extern|namespace|#|@|\/\/|pub\s+use)\b|^\s*[#@]/

/** Tests of a Rust file stand at its end. */
const testsMark = '#[cfg(test)]'

/** One file, however long (E9). */
const defectsMax = 2000

export function plainDefectsIn(file: SourceText): readonly Defect[] {
  const family = familyOf(file.path)
  if (family === undefined || file.text.length > plantedCharsMax) return []
  const marked = family === 'rust' ? file.text.indexOf(testsMark) : -1
  const code = maskCode(family, marked === -1 ? file.text : file.text.slice(0, marked))
  const defects: Defect[] = []
  for (const operator of plainOperators) {
    if (operator.families?.includes(family) === false) continue
    for (const { 0: found, index } of code.matchAll(operator.pattern)) {
      if (defects.length >= defectsMax) return defects
      const line = lineAround(code, index)
      if (namingLines.test(line)) continue
      const end = index + found.length
      const replacement = operator.replace(
        // Only an answer is as long as to have a string in it.
        operator.name === 'answer' ? file.text.slice(index, end) : found,
        line,
      )
      if (replacement === undefined) continue
      const defect = replacing(file, operator.name, [index, end], replacement)
      if (defect !== undefined) defects.push(defect)
    }
  }
  return defects
}

function lineAround(code: string, at: number): string {
  const end = code.indexOf('\n', at)
  return code.slice(code.lastIndexOf('\n', at - 1) + 1, end === -1 ? code.length : end)
}

/** It takes on trust what it has written: one sign for another of its kind. */
export const plainPlanter: Planter = { defectsIn: plainDefectsIn, isReadable: () => true }
