/** Signs and literals. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import {
  isCondition,
  isTight,
  loses,
  mends,
  type Operator,
  place,
  replace,
  swaps,
  weighted,
} from './operator.ts'

export const unaryOperators: readonly Operator[] = [
  swaps('negation', 0.95, ({ node, ancestors: [parent] }) => {
    if (node.type === 'UnaryExpression' && node.operator === '!') {
      return [replace(node, place(node.argument))]
    }
    const isReturned = parent?.type === 'ReturnStatement' && mayBeTruth(node)
    if (!isCondition(node, parent) && !isReturned) return []
    if (parent?.type === 'UnaryExpression') return []
    // Its own sign is the nearer change.
    const weight = isReturned ? 0.7 : node.type === 'BinaryExpression' ? 0.8 : 1
    return [weighted(weight, negated(node))]
  }),
  swaps('boolean', 0.95, ({ node }) =>
    node.type === 'Literal' && typeof node.value === 'boolean'
      ? [replace(node, String(!node.value))]
      : [],
  ),
  swaps('update', 0.8, ({ node, file }) => {
    if (node.type !== 'UpdateExpression') return []
    const other = node.operator === '++' ? '--' : '++'
    const at = node.prefix ? node.start : node.end - 2
    if (file.code.slice(at, at + 2) !== node.operator) return []
    const argument = place(node.argument)
    const moved = node.prefix ? [argument, node.operator] : [node.operator, argument]
    return [{ start: at, end: at + 2, pieces: [other] }, weighted(0.5, replace(node, ...moved))]
  }),
  swaps('number', 0.8, ({ node, ancestors: [parent] }) => {
    const value = numberAt(node, parent)
    if (value === undefined) return []
    return [value + 1, value - 1].map((near) => replace(node, String(near)))
  }),
  mends('other-number', 0.45, ({ node, ancestors: [parent] }) => {
    const value = numberAt(node, parent)
    if (value === undefined) return []
    return otherNumbers(value).map((other) => replace(node, String(other)))
  }),
  swaps('unary', 0.6, ({ node, ancestors: [parent] }) => {
    if (node.type === 'UnaryExpression' && /^[-+~]$/.test(node.operator)) {
      return [replace(node, place(node.argument))]
    }
    if (!isOperand(node, parent)) return []
    return [weighted(0.8, replace(node, '-', ...bracketed(node)))]
  }),
  mends('optional', 0.5, ({ node, file }) => {
    if (node.type !== 'MemberExpression') return []
    if (node.optional) {
      const at = file.code.indexOf('?.', node.object.end)
      return at === -1 ? [] : [{ start: at, end: at + 2, pieces: [node.computed ? '' : '.'] }]
    }
    const sign = node.computed ? '[' : '.'
    const at = file.code.indexOf(sign, node.object.end)
    return at === -1 ? [] : [{ start: at, end: at + 1, pieces: [node.computed ? '?.[' : '?.'] }]
  }),
  mends('await', 0.4, ({ node, ancestors }) => {
    if (node.type === 'AwaitExpression') return [replace(node, place(node.argument))]
    if (node.type !== 'CallExpression' || ancestors[0]?.type === 'AwaitExpression') return []
    const owner = ancestors.find(({ type }) => type.includes('Function'))
    return owner !== undefined && 'async' in owner && owner.async
      ? [replace(node, '(await ', place(node), ')')]
      : []
  }),
  swaps('off-by-one', 0.55, ({ node, ancestors: [parent] }) => {
    if (!isBound(node, parent)) return []
    return ['-', '+'].map((sign) => replace(node, ...bracketed(node), ` ${sign} 1`))
  }),
  loses('string', 0.3, ({ node, ancestors: [parent] }) => {
    if (node.type !== 'Literal' || typeof node.value !== 'string' || node.value === '') return []
    if (isKey(node, parent) || /Import|Export|^ExpressionStatement/.test(parent?.type ?? ''))
      return []
    return [replace(node, "''")]
  }),
]

const bracketed = (node: AnyNode): Draft['pieces'] =>
  isTight(node) ? [place(node)] : ['(', place(node), ')']

export const negated = (node: AnyNode): Draft => replace(node, '!', ...bracketed(node))

const mayBeTruth = ({ type }: AnyNode): boolean =>
  /^(Binary|Logical|Call|Member)Expression$|^Identifier$/.test(type)

/** A name of a property is no value. */
const isKey = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  (parent?.type === 'Property' || parent?.type === 'PropertyDefinition') && parent.key === node

/** With its sign, which is a node of its own. */
function numberAt(node: AnyNode, parent: AnyNode | undefined): number | undefined {
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = numberAt(node.argument, node)
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

/** Where a number may stand. */
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

/** Where one more or one less makes sense: places, lengths and ends of ranges. */
function isBound(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (node.type === 'Literal' || !isTight(node) || node.type === 'ThisExpression') return false
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
