/** Binary operators and assignments. */

import type { Draft } from '../edit.ts'
import {
  type Operator,
  rangeOf,
  removalOperator,
  repairOperator,
  replace,
  replaceToken,
  swapOperator,
  weighted,
} from './operator.ts'

type Others = Readonly<Record<string, readonly (readonly [token: string, weight: number])[]>>

const comparisons: Others = {
  '<': [
    ['<=', 1],
    ['>', 0.95],
    ['>=', 0.95],
  ],
  '<=': [
    ['<', 1],
    ['>=', 0.95],
    ['>', 0.95],
  ],
  '>': [
    ['>=', 1],
    ['<', 0.95],
    ['<=', 0.95],
  ],
  '>=': [
    ['>', 1],
    ['<=', 0.95],
    ['<', 0.95],
  ],
}
const equalities: Others = {
  '===': [
    ['!==', 1],
    ['==', 0.5],
  ],
  '!==': [
    ['===', 1],
    ['!=', 0.5],
  ],
  '==': [
    ['!=', 1],
    ['===', 0.6],
  ],
  '!=': [
    ['==', 1],
    ['!==', 0.6],
  ],
}
const logicals: Others = {
  '&&': [['||', 1]],
  '||': [
    ['&&', 1],
    ['??', 0.7],
  ],
  '??': [
    ['||', 0.9],
    ['&&', 0.8],
  ],
}
const arithmetics: Others = {
  '+': [
    ['-', 1],
    ['*', 0.6],
  ],
  '-': [
    ['+', 1],
    ['/', 0.5],
  ],
  '*': [
    ['/', 1],
    ['+', 0.6],
    ['**', 0.3],
  ],
  '/': [
    ['*', 1],
    ['%', 0.7],
    ['-', 0.5],
  ],
  '%': [
    ['*', 0.9],
    ['/', 0.9],
  ],
  '**': [['*', 0.9]],
  '&': [
    ['|', 1],
    ['^', 0.6],
  ],
  '|': [
    ['&', 1],
    ['^', 0.6],
  ],
  '^': [
    ['&', 0.8],
    ['|', 0.8],
  ],
  '<<': [
    ['>>', 1],
    ['>>>', 0.8],
  ],
  '>>': [
    ['<<', 1],
    ['>>>', 0.9],
  ],
  '>>>': [
    ['>>', 1],
    ['<<', 0.9],
  ],
}
const assignments: Others = {
  '+=': [
    ['-=', 1],
    ['=', 0.8],
  ],
  '-=': [
    ['+=', 1],
    ['=', 0.7],
  ],
  '*=': [
    ['/=', 1],
    ['=', 0.6],
    ['+=', 0.5],
  ],
  '/=': [
    ['*=', 1],
    ['=', 0.6],
  ],
  '%=': [
    ['/=', 0.9],
    ['*=', 0.8],
  ],
  '=': [
    ['+=', 0.5],
    ['-=', 0.3],
    ['||=', 0.2],
  ],
  '|=': [
    ['&=', 1],
    ['=', 0.7],
  ],
  '&=': [
    ['|=', 1],
    ['=', 0.7],
  ],
  '^=': [
    ['|=', 0.8],
    ['&=', 0.8],
  ],
  '<<=': [['>>=', 1]],
  '>>=': [
    ['<<=', 1],
    ['>>>=', 0.9],
  ],
  '>>>=': [['>>=', 1]],
  '||=': [
    ['&&=', 0.9],
    ['??=', 0.8],
    ['=', 0.6],
  ],
  '??=': [
    ['||=', 0.9],
    ['=', 0.6],
  ],
}

const replaceBinary =
  (table: Others): Operator['propose'] =>
  ({ node, file }) => {
    if (node.type !== 'BinaryExpression' && node.type !== 'LogicalExpression') return []
    const others = Object.hasOwn(table, node.operator) ? table[node.operator] : undefined
    if (others === undefined) return []
    return replaceToken(file.code, node.left, node.operator, others)
  }

const orderMatters = new Set(['-', '/', '%', '<', '<=', '>', '>=', '<<', '>>', '>>>', '**', '+'])

export const binaryOperators: readonly Operator[] = [
  swapOperator('comparison', 1, replaceBinary(comparisons)),
  swapOperator('equality', 1, replaceBinary(equalities)),
  swapOperator('logical', 1, replaceBinary(logicals)),
  swapOperator('arithmetic', 1, replaceBinary(arithmetics)),
  swapOperator('assignment', 0.85, ({ node, file }) => {
    if (node.type !== 'AssignmentExpression') return []
    const isPattern = node.left.type === 'ArrayPattern' || node.left.type === 'ObjectPattern'
    const others = Object.hasOwn(assignments, node.operator)
      ? assignments[node.operator]
      : undefined
    if (isPattern || others === undefined) return []
    return replaceToken(file.code, node.left, node.operator, others)
  }),
  swapOperator('swapped-operands', 0.6, ({ node, file }) => {
    if (node.type !== 'BinaryExpression' || !orderMatters.has(node.operator)) return []
    if (file.code[node.start] === '(' || file.code[node.end - 1] === ')') {
      // The operands would be torn out of their parentheses.
      if (node.left.start !== node.start || node.right.end !== node.end) return []
    }
    const between = [node.left.end, node.right.start] as const
    const weight = node.operator === '+' ? 0.7 : 1
    return [weighted(weight, replace(node, rangeOf(node.right), between, rangeOf(node.left)))]
  }),
  repairOperator('without-one', 0.8, ({ node }) => {
    if (node.type !== 'BinaryExpression' || !/^[+-]$/.test(node.operator)) return []
    const { right } = node
    if (right.type !== 'Literal' || typeof right.value !== 'number' || right.value > 2) return []
    return [replace(node, rangeOf(node.left))]
  }),
  removalOperator('dropped-operand', 0.75, ({ node }) => {
    if (node.type === 'LogicalExpression') {
      return [replace(node, rangeOf(node.left)), replace(node, rangeOf(node.right))]
    }
    if (node.type !== 'BinaryExpression' || !/^[-+*/%]$/.test(node.operator)) return []
    const sides: readonly Draft[] = [
      replace(node, rangeOf(node.left)),
      replace(node, rangeOf(node.right)),
    ]
    return sides.map((draft) => weighted(0.7, draft))
  }),
]
