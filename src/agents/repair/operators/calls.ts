/** Calls, names, and values taken from elsewhere. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import {
  type Operator,
  rangeOf,
  removalOperator,
  repairOperator,
  replace,
  type Site,
  swapOperator,
  weighted,
} from './operator.ts'
import { nearest, rankWeight } from './pools.ts'

const pairs: readonly (readonly string[])[] = [
  ['push', 'unshift'],
  ['pop', 'shift'],
  ['indexOf', 'lastIndexOf'],
  ['startsWith', 'endsWith'],
  ['toUpperCase', 'toLowerCase'],
  ['toLocaleUpperCase', 'toLocaleLowerCase'],
  ['some', 'every'],
  ['min', 'max'],
  ['floor', 'ceil', 'round', 'trunc'],
  ['trimStart', 'trimEnd', 'trim'],
  ['padStart', 'padEnd'],
  ['slice', 'substring', 'splice'],
  ['filter', 'map', 'forEach'],
  ['keys', 'values', 'entries'],
  ['call', 'apply'],
  ['find', 'findLast', 'filter'],
  ['findIndex', 'findLastIndex'],
  ['parseInt', 'parseFloat'],
  ['charAt', 'charCodeAt'],
  ['replace', 'replaceAll'],
  ['reduce', 'reduceRight'],
  ['test', 'exec'],
  ['add', 'delete'],
  ['sin', 'cos'],
  ['has', 'get'],
  ['encodeURIComponent', 'encodeURI'],
  ['decodeURIComponent', 'decodeURI'],
  ['isNaN', 'isFinite'],
  ['setHours', 'setUTCHours'],
  ['getDate', 'getDay'],
  ['getFullYear', 'getUTCFullYear'],
  ['toString', 'valueOf'],
]

const partners = new Map<string, readonly string[]>()
for (const group of pairs) {
  for (const name of group) {
    const known = partners.get(name) ?? []
    partners.set(name, [...known, ...group.filter((other) => other !== name)])
  }
}

const namesMax = 40
const propertiesMax = 10
const expressionsMax = 10

export const callOperators: readonly Operator[] = [
  swapOperator('method', 0.9, ({ node, ancestors: [parent] }) => {
    if (node.type !== 'Identifier' || !isCalled(node, parent)) return []
    const others = partners.get(node.name) ?? []
    return others.map((other, rank) => weighted(rank === 0 ? 1 : 0.8, replace(node, other)))
  }),
  swapOperator('swapped-arguments', 0.6, ({ node }) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return []
    return node.arguments.slice(1).flatMap((second, index) => {
      const first = node.arguments[index]
      if (first === undefined || first.type === 'SpreadElement') return []
      if (second.type === 'SpreadElement') return []
      const range = { start: first.start, end: second.end }
      return [replace(range, rangeOf(second), [first.end, second.start], rangeOf(first))]
    })
  }),
  repairOperator('dropped-argument', 0.3, ({ node }) => {
    if (node.type !== 'CallExpression' || node.arguments.length < 2) return []
    const last = node.arguments.at(-1)
    const before = node.arguments.at(-2)
    if (last === undefined || before === undefined) return []
    return [{ start: before.end, end: last.end, pieces: [] }]
  }),
  swapOperator('name', 0.4, ({ node, ancestors, pools }) => {
    if (node.type !== 'Identifier' || !isRead(node, ancestors)) return []
    const names = pools.namesAt(ancestors)
    if (!names.includes(node.name)) return []
    return names
      .filter((name) => name !== node.name)
      .slice(0, namesMax)
      .map((name, rank) => weighted(rankWeight(rank), replace(node, name)))
  }),
  repairOperator('property', 0.35, ({ node, ancestors: [parent], pools }) => {
    if (node.type !== 'Identifier') return []
    if (parent?.type !== 'MemberExpression' || parent.computed || parent.property !== node)
      return []
    return proposeFromPool(
      nearest(pools.properties, node, propertiesMax),
      node,
      (text) => text !== node.name,
    )
  }),
  repairOperator('string-from-pool', 0.45, ({ node, ancestors: [parent], pools }) => {
    if (node.type !== 'Literal' || typeof node.value !== 'string') return []
    if (/^(Import|Export)/.test(parent?.type ?? '')) return []
    const isEmpty = node.value === ''
    const near = proposeFromPool(nearest(pools.strings, node, isEmpty ? 30 : 8), node)
    const wanted = pools.wanted
      .slice(0, isEmpty ? 30 : 6)
      .map((text, rank) => weighted(0.8 * rankWeight(rank), replace(node, text)))
    return [...near, ...wanted].map((draft) =>
      weighted((draft.weight ?? 1) * (isEmpty ? 1.8 : 0.8), draft),
    )
  }),
  repairOperator('number-from-pool', 0.35, ({ node, pools }) =>
    node.type === 'Literal' && typeof node.value === 'number'
      ? proposeFromPool(nearest(pools.numbers, node, 8), node)
      : [],
  ),
  repairOperator('regex-from-pool', 0.3, ({ node, pools }) =>
    node.type === 'Literal' && 'regex' in node && node.regex !== undefined
      ? proposeFromPool(nearest(pools.regexes, node, 8), node)
      : [],
  ),
  removalOperator('emptied-list', 0.3, ({ node }) => {
    if (node.type === 'ArrayExpression' && node.elements.length > 0) return [replace(node, '[]')]
    if (node.type === 'ObjectExpression' && node.properties.length > 0) return [replace(node, '{}')]
    return []
  }),
  repairOperator('list-from-pool', 0.4, ({ node, ancestors, pools }) => {
    const isEmpty =
      (node.type === 'ArrayExpression' && node.elements.length === 0) ||
      (node.type === 'ObjectExpression' && node.properties.length === 0)
    if (!isEmpty) return []
    const names = pools.namesAt(ancestors).slice(0, 10)
    const made = names.map((name, rank) =>
      weighted(
        0.7 * rankWeight(rank),
        replace(node, node.type === 'ArrayExpression' ? `[${name}]` : `{ ${name} }`),
      ),
    )
    return [...proposeFromPool(nearest(pools.lists, node, 8), node), ...made]
  }),
  repairOperator('expression', 0.2, (site) => copyExpressions(site)),
]

const isCalled = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  (parent?.type === 'CallExpression' && parent.callee === node) ||
  (parent?.type === 'MemberExpression' && !parent.computed && parent.property === node)

function proposeFromPool(
  pieces: readonly { readonly text: string }[],
  node: AnyNode,
  isRelevant: (text: string) => boolean = () => true,
): readonly Draft[] {
  return pieces
    .filter(({ text }) => isRelevant(text))
    .map(({ text }, rank) => weighted(rankWeight(rank), replace(node, text)))
}

/** A name that is read: neither declared, assigned nor a key here. */
function isRead(node: AnyNode, ancestors: readonly AnyNode[]): boolean {
  const [parent] = ancestors
  switch (parent?.type) {
    case undefined:
    case 'VariableDeclarator':
      return parent?.init === node
    case 'MemberExpression':
      return parent.object === node || parent.computed
    case 'Property':
      return parent.value === node && !parent.shorthand && ancestors[1]?.type === 'ObjectExpression'
    case 'AssignmentExpression':
      return parent.right === node
    case 'AssignmentPattern':
      return parent.right === node
    case 'PropertyDefinition':
    case 'MethodDefinition':
      return parent.value === node
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return parent.body === node
    case 'ClassDeclaration':
    case 'ClassExpression':
    case 'ArrayPattern':
    case 'ObjectPattern':
    case 'RestElement':
    case 'CatchClause':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'UpdateExpression':
    case 'MetaProperty':
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
    case 'ExportSpecifier':
      return false
    default:
      return true
  }
}

/** Whole expressions that could replace this one. */
function copyExpressions({ node, ancestors: [parent], pools }: Site): readonly Draft[] {
  const isValue =
    (parent?.type === 'ReturnStatement' && parent.argument === node) ||
    (parent?.type === 'VariableDeclarator' && parent.init === node) ||
    (parent?.type === 'AssignmentExpression' && parent.right === node) ||
    (parent?.type === 'CallExpression' && parent.callee !== node)
  if (!isValue || node.type.includes('Function') || node.type === 'SpreadElement') return []
  return nearest(pools.expressions, node, expressionsMax)
    .filter((piece) => piece.node.start > node.end || piece.node.end < node.start)
    .map((piece, rank) => weighted(rankWeight(rank), replace(node, rangeOf(piece.node))))
}
