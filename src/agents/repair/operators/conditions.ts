/** What decides: conditions, and both ways of a choice. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import {
  isCondition,
  loses,
  mends,
  type Operator,
  place,
  replace,
  type Site,
  swaps,
  weighted,
} from './operator.ts'
import { byRank, nearest } from './pools.ts'

const conditionsMax = 24
const operandsMax = 12

export const conditionOperators: readonly Operator[] = [
  mends('condition-for-literal', 0.95, (site) => {
    const { node, ancestors } = site
    if (!isCondition(node, ancestors[0]) || !isTruthLiteral(node)) return []
    return others(site, conditionsMax)
  }),
  loses('constant-condition', 0.45, ({ node, ancestors: [parent] }) => {
    if (!isCondition(node, parent) || parent?.type === 'UnaryExpression') return []
    if (isTruthLiteral(node) || parent?.type === 'LogicalExpression') return []
    return [replace(node, 'true'), replace(node, 'false')]
  }),
  mends('other-condition', 0.5, (site) => {
    const { node, ancestors } = site
    if (!isCondition(node, ancestors[0]) || isTruthLiteral(node)) return []
    return others(site, operandsMax)
  }),
  mends('added-operand', 0.35, (site) => {
    const { node, ancestors, pools } = site
    if (!isTest(node, ancestors[0]) || isTruthLiteral(node)) return []
    return nearest(pools.conditions, node, operandsMax).flatMap((piece, rank) => {
      const operand = bracketed(piece.node)
      return ['&&', '||'].flatMap((sign) => [
        weighted(byRank(rank), replace(node, ...bracketed(node), ` ${sign} `, ...operand)),
        weighted(
          0.6 * byRank(rank),
          replace(node, ...bracketed(node), ` ${sign} !`, '(', place(piece.node), ')'),
        ),
        weighted(0.5 * byRank(rank), replace(node, ...operand, ` ${sign} `, ...bracketed(node))),
      ])
    })
  }),
  mends('added-name', 0.3, (site) => {
    const { node, ancestors, pools } = site
    if (!isTest(node, ancestors[0]) || isTruthLiteral(node)) return []
    return pools
      .namesAt(ancestors)
      .slice(0, operandsMax)
      .flatMap((name, rank) =>
        [`&& ${name}`, `&& !${name}`, `|| ${name}`, `|| !${name}`].map((operand) =>
          weighted(byRank(rank), replace(node, ...bracketed(node), ` ${operand}`)),
        ),
      )
  }),
  swaps('swapped-branches', 0.7, ({ node }) => {
    if (node.type !== 'ConditionalExpression') return []
    const { consequent, alternate } = node
    const between = [consequent.end, alternate.start] as const
    const range = { start: consequent.start, end: alternate.end }
    return [replace(range, place(alternate), between, place(consequent))]
  }),
  loses('one-branch', 0.4, ({ node }) =>
    node.type === 'ConditionalExpression'
      ? [replace(node, place(node.consequent)), replace(node, place(node.alternate))]
      : [],
  ),
]

const isTruthLiteral = (node: AnyNode): boolean =>
  node.type === 'Literal' && typeof node.value === 'boolean'

/** The whole of a condition, not a part of one. */
const isTest = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  (isCondition(node, parent) && parent?.type !== 'LogicalExpression') ||
  (parent?.type === 'ReturnStatement' && /^(Logical|Binary)Expression$/.test(node.type))

const bracketed = (node: AnyNode): Draft['pieces'] =>
  /^(Logical|Conditional|Assignment|Sequence|ArrowFunction)Expression$/.test(node.type)
    ? ['(', place(node), ')']
    : [place(node)]

/** Conditions from nearby, as they are and turned round; then names alone. */
function others({ node, ancestors, pools }: Site, max: number): readonly Draft[] {
  const pieces = nearest(pools.conditions, node, max).flatMap((piece, rank) => [
    weighted(byRank(rank), replace(node, ...bracketed(piece.node))),
    weighted(0.7 * byRank(rank), replace(node, '!(', place(piece.node), ')')),
  ])
  const names = pools
    .namesAt(ancestors)
    .slice(0, max)
    .flatMap((name, rank) => [
      weighted(0.6 * byRank(rank), replace(node, name)),
      weighted(0.5 * byRank(rank), replace(node, `!${name}`)),
    ])
  return [...pieces, ...names]
}
