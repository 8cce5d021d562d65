/** What an agent searches for, as a matcher that cannot freeze the process. */

import { textOf } from '../loop/index.ts'
import { createMatcher, createQuickMatcher, type Matcher, type MatcherLimits } from './matcher.ts'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

export interface LineQuery {
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
}

/** Rejects with `bad-pattern`. */
export function createLineMatcher(wanted: LineQuery, limits: MatcherLimits): Matcher {
  const { pattern, literal } = wanted
  const expression = toExpression(wanted)
  // Without repetition and groups there is no backtracking, only alternatives.
  const isQuick = literal || (!/[*+?{(]/.test(pattern) && pattern.split('|').length <= 10)
  return isQuick ? createQuickMatcher(expression) : createMatcher(expression, limits)
}

function toExpression({ pattern, literal, ignoreCase }: LineQuery): RegExp {
  if (literal) {
    const escaped = pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return new RegExp(escaped, ignoreCase ? 'i' : '')
  }
  // The syntax of other programs.
  const plain = pattern.replace(/^\(\?i\)/, '')
  const isInsensitive = ignoreCase || plain !== pattern
  const isUnicode = /\\p\{/i.test(plain)
  try {
    return new RegExp(plain, `${isInsensitive ? 'i' : ''}${isUnicode ? 'u' : ''}`)
  } catch (cause) {
    const message = `${shown(pattern)} is not a regular expression: ${textOf(cause)}. Set literal to search for plain text.`
    throw new ToolError('bad-pattern', message, { cause })
  }
}
