/** Regular expressions, changed by one token at a time. */

import type { Draft } from '../edit.ts'
import { type Operator, swapOperator } from './operator.ts'

/** Character classes that are easily confused. */
const classes: Readonly<Record<string, string>> = {
  '\\d': '\\D',
  '\\D': '\\d',
  '\\w': '\\W',
  '\\W': '\\w',
  '\\s': '\\S',
  '\\S': '\\s',
  '\\b': '\\B',
  '\\B': '\\b',
}
const quantifiers: Readonly<Record<string, readonly string[]>> = {
  '*': ['+', '?'],
  '+': ['*', '?', ''],
  '?': ['', '*', '+'],
}
const flags = ['g', 'i', 'm', 's', 'u']

export const regexOperators: readonly Operator[] = [
  swapOperator('regex', 0.5, ({ node }) => {
    if (
      node.type !== 'Literal' ||
      !('regex' in node) ||
      node.regex === undefined ||
      node.regex === null
    ) {
      return []
    }
    const { pattern, flags: used } = node.regex
    return [...patternDrafts(pattern, node.start + 1), ...flagDrafts(used, node.end)]
  }),
]

function patternDrafts(pattern: string, offset: number): readonly Draft[] {
  const drafts: Draft[] = []
  const add = (at: number, length: number, text: string, weight: number): void => {
    drafts.push({ start: offset + at, end: offset + at + length, pieces: [text], weight })
  }
  let inClass = false
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at] ?? ''
    if (sign === '\\') {
      const other = classes[pattern.slice(at, at + 2)]
      if (other !== undefined) add(at, 2, other, 0.9)
      if (!inClass && !/[*+?{]/.test(pattern[at + 2] ?? '')) add(at + 2, 0, '+', 0.4)
      at++
    } else if (inClass) {
      inClass = sign !== ']'
      if (!inClass && !/[*+?{]/.test(pattern[at + 1] ?? '')) {
        add(at + 1, 0, '+', 0.6)
        add(at + 1, 0, '*', 0.6)
        add(at + 1, 0, '?', 0.4)
      }
    } else if (sign === '[') {
      inClass = true
      if (pattern[at + 1] === '^') add(at + 1, 1, '', 1)
      else add(at + 1, 0, '^', 0.8)
    } else if (sign === '^' || sign === '$') add(at, 1, '', 0.8)
    else if (sign in quantifiers) {
      if (pattern[at - 1] !== '(') for (const other of quantifiers[sign] ?? []) add(at, 1, other, 1)
    } else if (/[\w\s)/.-]/.test(sign) && !/[*+?{]/.test(pattern[at + 1] ?? '')) {
      for (const other of ['+', '*', '?']) add(at + 1, 0, other, 0.4)
    }
  }
  if (!pattern.startsWith('^')) add(0, 0, '^', 0.8)
  if (!pattern.endsWith('$')) add(pattern.length, 0, '$', 0.8)
  return drafts
}

function flagDrafts(used: string, end: number): readonly Draft[] {
  const removed = used.split('').map((_, index) => {
    const at = end - used.length + index
    return { start: at, end: at + 1, pieces: [], weight: 0.8 }
  })
  const added = flags
    .filter((flag) => !used.includes(flag))
    .map((flag, rank) => ({ start: end, end, pieces: [flag], weight: rank < 2 ? 0.7 : 0.3 }))
  return [...removed, ...added]
}
