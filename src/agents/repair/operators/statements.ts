/** Whole statements: removed, inserted, moved; and return values. */

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
import { nearest, type Piece, rankWeight } from './pools.ts'

const namesMax = 12
const copiesMax = 8
const guardsMax = 6

export const statementOperators: readonly Operator[] = [
  removalOperator('deleted-statement', 0.5, ({ node, ancestors: [parent] }) =>
    isRemovable(node) && isInList(node, parent) ? [replace(node, ';')] : [],
  ),
  removalOperator('emptied-block', 0.2, ({ node, ancestors: [parent] }) => {
    if (node.type !== 'BlockStatement' || node.body.length === 0) return []
    return parent === undefined || parent.type === 'TryStatement' ? [] : [replace(node, '{}')]
  }),
  removalOperator('returned-nothing', 0.4, ({ node }) =>
    node.type === 'ReturnStatement' && isPresent(node.argument)
      ? [replace(node.argument, 'undefined')]
      : [],
  ),
  repairOperator('returned-name', 0.5, (site) => proposeReturns(site)),
  swapOperator('jump', 0.6, ({ node }) => {
    const range = (length: number) => ({ start: node.start, end: node.start + length })
    if (node.type === 'BreakStatement' && !isPresent(node.label)) {
      return [replace(range('break'.length), 'continue')]
    }
    if (node.type === 'ContinueStatement' && !isPresent(node.label)) {
      return [replace(range('continue'.length), 'break')]
    }
    return []
  }),
  swapOperator('swapped-statements', 0.45, ({ node }) => {
    const list = readStatements(node)
    return list.slice(1).flatMap((second, index) => {
      const first = list[index]
      if (first === undefined || !isMovable(first) || !isMovable(second)) return []
      const range = { start: first.start, end: second.end }
      return [replace(range, rangeOf(second), [first.end, second.start], rangeOf(first))]
    })
  }),
  repairOperator('copied-statement', 0.3, (site) => proposeInsertions(site)),
  repairOperator('guard', 0.25, ({ node, ancestors: [parent], pools }) => {
    if (!isRemovable(node) || !isInList(node, parent)) return []
    return nearest(pools.conditions, node, guardsMax).flatMap((piece, rank) => [
      weighted(rankWeight(rank), replace(node, 'if (', rangeOf(piece.node), ') ', rangeOf(node))),
      weighted(
        0.7 * rankWeight(rank),
        replace(node, 'if (!(', rangeOf(piece.node), ')) ', rangeOf(node)),
      ),
    ])
  }),
]

const isPresent = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined

const isRemovable = ({ type }: AnyNode): boolean =>
  /^(Expression|If|For|ForIn|ForOf|While|Break|Continue|Return|Throw)Statement$/.test(type)

const isMovable = ({ type }: AnyNode): boolean =>
  /^(Expression|If|For|ForIn|ForOf|While)Statement$|^VariableDeclaration$/.test(type)

const isInList = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  parent !== undefined &&
  (readStatements(parent).includes(node) ||
    (parent.type === 'IfStatement' && (parent.consequent === node || parent.alternate === node)))

function readStatements(node: AnyNode): readonly AnyNode[] {
  if (node.type === 'BlockStatement' || node.type === 'Program') return node.body
  return node.type === 'SwitchCase' ? node.consequent : []
}

function proposeReturns({ node, ancestors, pools }: Site): readonly Draft[] {
  if (node.type !== 'ReturnStatement') return []
  const { argument } = node
  const isNothing =
    !isPresent(argument) || (argument.type === 'Identifier' && argument.name === 'undefined')
  const put = (text: string | Piece, weight: number): Draft => {
    const piece = typeof text === 'string' ? text : rangeOf(text.node)
    const draft = !isPresent(argument)
      ? replace(node, 'return ', piece, ';')
      : replace(argument, piece)
    return weighted(weight, draft)
  }
  const scale = isNothing ? 1.6 : 0.6
  const names = pools.namesAt(ancestors).slice(0, namesMax)
  return [
    ...names.map((name, rank) => put(name, scale * rankWeight(rank))),
    ...['true', 'false', 'null', 'this'].map((text) => put(text, 0.6 * scale)),
    ...(isNothing ? nearest(pools.expressions, node, 20) : []).map((piece, rank) =>
      put(piece, scale * 0.8 * rankWeight(rank)),
    ),
  ]
}

/** Copies from nearby, and a few statements that need no copy; before the statement or after it. */
function proposeInsertions({ node, ancestors, pools }: Site): readonly Draft[] {
  const [parent] = ancestors
  const isGap = node.type === 'EmptyStatement'
  if (
    parent === undefined ||
    (!isGap && (!isMovable(node) || !readStatements(parent).includes(node)))
  ) {
    return fillEmptyBody({ node, pools })
  }
  const scale = isGap ? 2.5 : 1
  const loop = ancestors.some(({ type }) => /^(For|While|DoWhile|Switch)/.test(type))
  const made = [
    ...(loop ? ['break;', 'continue;'] : []),
    ...(ancestors.some(({ type }) => type.includes('Function')) ? ['return;'] : []),
    ...pools
      .namesAt(ancestors)
      .slice(0, 6)
      .flatMap((name) => [`return ${name};`, `${name}++;`]),
  ]
  const isLast = readStatements(parent).at(-1) === node
  const put = (
    piece: Piece['text'] | readonly [number, number],
    weight: number,
  ): readonly Draft[] => {
    if (isGap) return [weighted(weight, replace(node, piece))]
    const before = { start: node.start, end: node.start, pieces: [piece, ' '], weight }
    return isLast
      ? [before, { start: node.end, end: node.end, pieces: [' ', piece], weight }]
      : [before]
  }
  const copies = nearest(pools.statements, node, isGap ? 24 : copiesMax)
  return [
    ...copies.flatMap((piece, rank) => put(rangeOf(piece.node), scale * rankWeight(rank))),
    ...made.flatMap((text, rank) => put(text, scale * 0.8 * rankWeight(rank))),
  ]
}

function fillEmptyBody({ node, pools }: Pick<Site, 'node' | 'pools'>): readonly Draft[] {
  if (node.type !== 'BlockStatement' || node.body.length > 0) return []
  return nearest(pools.statements, node, 24).map((piece, rank) =>
    weighted(1.5 * rankWeight(rank), replace(node, '{ ', rangeOf(piece.node), ' }')),
  )
}
