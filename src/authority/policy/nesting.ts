/**
 * Refuses rules that are nested or chained too deeply for Cedar's stack. An overflow would leave the WebAssembly module
 * unusable for every policy of this process. Cedar survives more than twice these limits; `nesting.test.ts` tries it.
 */

export interface NestingProblem {
  /** In characters. */
  readonly offset: number
  readonly reason: string
  readonly suggestion: string
}

const depthMax = 30
/** Operators of one rule that can be chained. */
const operatorsMax = 150

/** A comment ends at a carriage return too, as it does for Cedar. */
const token =
  /\/\/[^\n\r]*|"(?:[^"\\]|\\[^])*"|"|&&|\|\||[-+*.!?;()[\]{}]|\b(?:if|then|else|has|like|in|is)\b/g

/** Undefined: the text can be given to Cedar. */
export function findNestingProblem(text: string): NestingProblem | undefined {
  const suggestion = 'split it into several rules'
  let depth = 0
  let operators = 0
  for (const { 0: sign, index: offset } of text.matchAll(token)) {
    if (sign.startsWith('//') || (sign.startsWith('"') && sign.length > 1)) continue
    if (sign === '"') {
      return { offset, reason: 'the string has no end', suggestion: 'add a quotation mark' }
    }
    if ('([{'.includes(sign)) depth += 1
    else if (')]}'.includes(sign)) depth -= 1
    else if (sign === ';' && depth <= 0) operators = depth = 0
    else operators += 1
    if (depth > depthMax) {
      return { offset, reason: `it is nested deeper than ${depthMax} levels`, suggestion }
    }
    if (operators > operatorsMax) {
      return { offset, reason: `the rule has more than ${operatorsMax} operators`, suggestion }
    }
  }
  return undefined
}
