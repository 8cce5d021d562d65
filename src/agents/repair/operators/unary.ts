/** Unary operators and literals. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import {
  isCondition,
  needsNoParentheses,
  type Operator,
  rangeOf,
  removalOperator,
  repairOperator,
  replace,
  swapOperator,
  weighted,
} from './operator.ts'

export const unaryOperators: readonly Operator[] = [
  swapOperator('negation', 0.95, ({ node, ancestors: [parent] }) => {
    if (node.type === 'UnaryExpression' && node.operator === '!') {
      return [replace(node, rangeOf(node.argument))]
    }
    const isReturned = parent?.type === 'ReturnStatement' && mayBeBoolean(node)
    if (!isCondition(node, parent) && !isReturned) return []
    if (parent?.type === 'UnaryExpression') return []
    // Changing its own operator is the more likely edit.
    const weight = isReturned ? 0.7 : node.type === 'BinaryExpression' ? 0.8 : 1
    return [weighted(weight, negate(node))]
  }),
  swapOperator('boolean', 0.95, ({ node }) =>
    node.type === 'Literal' && typeof node.value === 'boolean'
      ? [replace(node, String(!node.value))]
      : [],
  ),
  swapOperator('update', 0.8, ({ node, file }) => {
    if (node.type !== 'UpdateExpression') return []
    const other = node.operator === '++' ? '--' : '++'
    const at = node.prefix ? node.start : node.end - 2
    if (file.code.slice(at, at + 2) !== node.operator) return []
    const argument = rangeOf(node.argument)
    const moved = node.prefix ? [argument, node.operator] : [node.operator, argument]
    return [{ start: at, end: at + 2, pieces: [other] }, weighted(0.5, replace(node, ...moved))]
  }),
  swapOperator('number', 0.8, ({ node, ancestors: [parent] }) => {
    const value = readNumber(node, parent)
    if (value === undefined) return []
    return [value + 1, value - 1].map((near) => replace(node, String(near)))
  }),
  repairOperator('other-number', 0.45, ({ node, ancestors: [parent] }) => {
    const value = readNumber(node, parent)
    if (value === undefined) return []
    return otherNumbers(value).map((other) => replace(node, String(other)))
  }),
  swapOperator('unary', 0.6, ({ node, ancestors: [parent] }) => {
    if (node.type === 'UnaryExpression' && /^[-+~]$/.test(node.operator)) {
      return [replace(node, rangeOf(node.argument))]
    }
    if (!isOperand(node, parent)) return []
    return [weighted(0.8, replace(node, '-', ...parenthesize(node)))]
  }),
  repairOperator('optional', 0.5, ({ node, file }) => {
    if (node.type !== 'MemberExpression') return []
    if (node.optional) {
      const at = file.code.indexOf('?.', node.object.end)
      return at === -1 ? [] : [{ start: at, end: at + 2, pieces: [node.computed ? '' : '.'] }]
    }
    const sign = node.computed ? '[' : '.'
    const at = file.code.indexOf(sign, node.object.end)
    return at === -1 ? [] : [{ start: at, end: at + 1, pieces: [node.computed ? '?.[' : '?.'] }]
  }),
  repairOperator('await', 0.4, ({ node, ancestors }) => {
    if (node.type === 'AwaitExpression') return [replace(node, rangeOf(node.argument))]
    if (node.type !== 'CallExpression' || ancestors[0]?.type === 'AwaitExpression') return []
    const owner = ancestors.find(({ type }) => type.includes('Function'))
    return owner !== undefined && 'async' in owner && owner.async
      ? [replace(node, '(await ', rangeOf(node), ')')]
      : []
  }),
  swapOperator('off-by-one', 0.55, ({ node, ancestors: [parent] }) => {
    if (!isBound(node, parent)) return []
    return ['-', '+'].map((sign) => replace(node, ...parenthesize(node), ` ${sign} 1`))
  }),
  removalOperator('string', 0.3, ({ node, ancestors: [parent] }) => {
    if (node.type !== 'Literal' || typeof node.value !== 'string' || node.value === '') return []
    if (isKey(node, parent) || /Import|Export|^ExpressionStatement/.test(parent?.type ?? ''))
      return []
    return [replace(node, "''")]
  }),
]

const parenthesize = (node: AnyNode): Draft['pieces'] =>
  needsNoParentheses(node) ? [rangeOf(node)] : ['(', rangeOf(node), ')']

export const negate = (node: AnyNode): Draft => replace(node, '!', ...parenthesize(node))

const mayBeBoolean = ({ type }: AnyNode): boolean =>
  /^(Binary|Logical|Call|Member)Expression$|^Identifier$/.test(type)

/** A property name is not a value. */
const isKey = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  (parent?.type === 'Property' || parent?.type === 'PropertyDefinition') && parent.key === node

/** Including a minus sign, which is a separate node. */
function readNumber(node: AnyNode, parent: AnyNode | undefined): number | undefined {
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = readNumber(node.argument, node)
    return value === undefined ? undefined : -value
  }
  if (node.type !== 'Literal' || typeof node.value !== 'number' || isKey(node, parent)) {
    return undefined
  }
  return node.value
}

function otherNumbers(value: number): readonly number[] {
  const large = Math.abs(value) >= 10 ? [value * 10, value / 10] : []
  const others = [0, 1, ...large, ...(Math.abs(value) >= 2 ? [value * 2, value / 2] : [2, -1])]
  return others.filter((other) => Number.isFinite(other) && other !== value)
}

/** Where a number may occur. */
function isOperand(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (node.type !== 'Identifier' && node.type !== 'MemberExpression' && node.type !== 'Literal') {
    return false
  }
  if (node.type === 'Literal' && typeof node.value !== 'number') return false
  switch (parent?.type) {
    case 'ReturnStatement':
      return true
    case 'BinaryExpression':
      return /^[-*/%<>]/.test(parent.operator)
    case 'AssignmentExpression':
      return parent.right === node
    case 'ConditionalExpression':
      return parent.test !== node
    case 'CallExpression':
      return parent.callee !== node && node.type === 'Literal'
    default:
      return false
  }
}

const takesBounds = /^(slice|substr|substring|splice|charAt|charCodeAt|codePointAt|at|subarray)$/

/** Where off-by-one errors occur: indexes, lengths and ends of ranges. */
function isBound(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (node.type === 'Literal' || !needsNoParentheses(node) || node.type === 'ThisExpression')
    return false
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.computed && parent.property === node
    case 'BinaryExpression':
      return /^[<>]=?$/.test(parent.operator)
    case 'AssignmentExpression':
      return parent.right === node && isLength(node)
    case 'VariableDeclarator':
    case 'ReturnStatement':
      return isLength(node)
    case 'CallExpression': {
      const { callee } = parent
      if (callee === node || callee.type !== 'MemberExpression') return false
      return callee.property.type === 'Identifier' && takesBounds.test(callee.property.name)
    }
    default:
      return false
  }
}

const isLength = (node: AnyNode): boolean =>
  node.type === 'MemberExpression' &&
  node.property.type === 'Identifier' &&
  /^(length|size)$/.test(node.property.name)
