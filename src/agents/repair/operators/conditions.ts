/** Conditions and branches. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import {
  isCondition,
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

const conditionsMax = 24
const operandsMax = 12

export const conditionOperators: readonly Operator[] = [
  repairOperator('condition-for-literal', 0.95, (site) => {
    const { node, ancestors } = site
    if (!isCondition(node, ancestors[0]) || !isBooleanLiteral(node)) return []
    return proposeConditions(site, conditionsMax)
  }),
  removalOperator('constant-condition', 0.45, ({ node, ancestors: [parent] }) => {
    if (!isCondition(node, parent) || parent?.type === 'UnaryExpression') return []
    if (isBooleanLiteral(node) || parent?.type === 'LogicalExpression') return []
    return [replace(node, 'true'), replace(node, 'false')]
  }),
  repairOperator('other-condition', 0.5, (site) => {
    const { node, ancestors } = site
    if (!isCondition(node, ancestors[0]) || isBooleanLiteral(node)) return []
    return proposeConditions(site, operandsMax)
  }),
  repairOperator('added-operand', 0.35, (site) => {
    const { node, ancestors, pools } = site
    if (!isWholeCondition(node, ancestors[0]) || isBooleanLiteral(node)) return []
    return nearest(pools.conditions, node, operandsMax).flatMap((piece, rank) => {
      const operand = parenthesize(piece.node)
      return ['&&', '||'].flatMap((sign) => [
        weighted(rankWeight(rank), replace(node, ...parenthesize(node), ` ${sign} `, ...operand)),
        weighted(
          0.6 * rankWeight(rank),
          replace(node, ...parenthesize(node), ` ${sign} !`, '(', rangeOf(piece.node), ')'),
        ),
        weighted(
          0.5 * rankWeight(rank),
          replace(node, ...operand, ` ${sign} `, ...parenthesize(node)),
        ),
      ])
    })
  }),
  repairOperator('added-name', 0.3, (site) => {
    const { node, ancestors, pools } = site
    if (!isWholeCondition(node, ancestors[0]) || isBooleanLiteral(node)) return []
    return pools
      .namesAt(ancestors)
      .slice(0, operandsMax)
      .flatMap((name, rank) =>
        [`&& ${name}`, `&& !${name}`, `|| ${name}`, `|| !${name}`].map((operand) =>
          weighted(rankWeight(rank), replace(node, ...parenthesize(node), ` ${operand}`)),
        ),
      )
  }),
  swapOperator('swapped-branches', 0.7, ({ node }) => {
    if (node.type !== 'ConditionalExpression') return []
    const { consequent, alternate } = node
    const between = [consequent.end, alternate.start] as const
    const range = { start: consequent.start, end: alternate.end }
    return [replace(range, rangeOf(alternate), between, rangeOf(consequent))]
  }),
  removalOperator('one-branch', 0.4, ({ node }) =>
    node.type === 'ConditionalExpression'
      ? [replace(node, rangeOf(node.consequent)), replace(node, rangeOf(node.alternate))]
      : [],
  ),
]

const isBooleanLiteral = (node: AnyNode): boolean =>
  node.type === 'Literal' && typeof node.value === 'boolean'

/** A complete condition, not a part of one. */
const isWholeCondition = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  (isCondition(node, parent) && parent?.type !== 'LogicalExpression') ||
  (parent?.type === 'ReturnStatement' && /^(Logical|Binary)Expression$/.test(node.type))

const parenthesize = (node: AnyNode): Draft['pieces'] =>
  /^(Logical|Conditional|Assignment|Sequence|ArrowFunction)Expression$/.test(node.type)
    ? ['(', rangeOf(node), ')']
    : [rangeOf(node)]

/** Conditions from nearby, plain and negated; then names alone. */
function proposeConditions({ node, ancestors, pools }: Site, max: number): readonly Draft[] {
  const pieces = nearest(pools.conditions, node, max).flatMap((piece, rank) => [
    weighted(rankWeight(rank), replace(node, ...parenthesize(piece.node))),
    weighted(0.7 * rankWeight(rank), replace(node, '!(', rangeOf(piece.node), ')')),
  ])
  const names = pools
    .namesAt(ancestors)
    .slice(0, max)
    .flatMap((name, rank) => [
      weighted(0.6 * rankWeight(rank), replace(node, name)),
      weighted(0.5 * rankWeight(rank), replace(node, `!${name}`)),
    ])
  return [...pieces, ...names]
}
