/** Whole statements: taken out, put in, moved; what is returned. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import {
  loses,
  mends,
  type Operator,
  place,
  replace,
  type Site,
  swaps,
  weighted,
} from './operator.ts'
import { byRank, nearest, type Piece } from './pools.ts'

const namesMax = 12
const copiesMax = 8
const guardsMax = 6

export const statementOperators: readonly Operator[] = [
  loses('deleted-statement', 0.5, ({ node, ancestors: [parent] }) =>
    isRemovable(node) && isInList(node, parent) ? [replace(node, ';')] : [],
  ),
  loses('emptied-block', 0.2, ({ node, ancestors: [parent] }) => {
    if (node.type !== 'BlockStatement' || node.body.length === 0) return []
    return parent === undefined || parent.type === 'TryStatement' ? [] : [replace(node, '{}')]
  }),
  loses('returned-nothing', 0.4, ({ node }) =>
    node.type === 'ReturnStatement' && isThere(node.argument)
      ? [replace(node.argument, 'undefined')]
      : [],
  ),
  mends('returned-name', 0.5, (site) => returned(site)),
  swaps('jump', 0.6, ({ node }) => {
    const range = (length: number) => ({ start: node.start, end: node.start + length })
    if (node.type === 'BreakStatement' && !isThere(node.label)) {
      return [replace(range('break'.length), 'continue')]
    }
    if (node.type === 'ContinueStatement' && !isThere(node.label)) {
      return [replace(range('continue'.length), 'break')]
    }
    return []
  }),
  swaps('swapped-statements', 0.45, ({ node }) => {
    const list = listOf(node)
    return list.slice(1).flatMap((second, index) => {
      const first = list[index]
      if (first === undefined || !isMovable(first) || !isMovable(second)) return []
      const range = { start: first.start, end: second.end }
      return [replace(range, place(second), [first.end, second.start], place(first))]
    })
  }),
  mends('copied-statement', 0.3, (site) => inserted(site)),
  mends('guard', 0.25, ({ node, ancestors: [parent], pools }) => {
    if (!isRemovable(node) || !isInList(node, parent)) return []
    return nearest(pools.conditions, node, guardsMax).flatMap((piece, rank) => [
      weighted(byRank(rank), replace(node, 'if (', place(piece.node), ') ', place(node))),
      weighted(0.7 * byRank(rank), replace(node, 'if (!(', place(piece.node), ')) ', place(node))),
    ])
  }),
]

const isThere = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined

const isRemovable = ({ type }: AnyNode): boolean =>
  /^(Expression|If|For|ForIn|ForOf|While|Break|Continue|Return|Throw)Statement$/.test(type)

const isMovable = ({ type }: AnyNode): boolean =>
  /^(Expression|If|For|ForIn|ForOf|While)Statement$|^VariableDeclaration$/.test(type)

const isInList = (node: AnyNode, parent: AnyNode | undefined): boolean =>
  parent !== undefined &&
  (listOf(parent).includes(node) ||
    (parent.type === 'IfStatement' && (parent.consequent === node || parent.alternate === node)))

function listOf(node: AnyNode): readonly AnyNode[] {
  if (node.type === 'BlockStatement' || node.type === 'Program') return node.body
  return node.type === 'SwitchCase' ? node.consequent : []
}

function returned({ node, ancestors, pools }: Site): readonly Draft[] {
  if (node.type !== 'ReturnStatement') return []
  const { argument } = node
  const isNothing =
    !isThere(argument) || (argument.type === 'Identifier' && argument.name === 'undefined')
  const put = (text: string | Piece, weight: number): Draft => {
    const piece = typeof text === 'string' ? text : place(text.node)
    const draft = !isThere(argument)
      ? replace(node, 'return ', piece, ';')
      : replace(argument, piece)
    return weighted(weight, draft)
  }
  const scale = isNothing ? 1.6 : 0.6
  const names = pools.namesAt(ancestors).slice(0, namesMax)
  return [
    ...names.map((name, rank) => put(name, scale * byRank(rank))),
    ...['true', 'false', 'null', 'this'].map((text) => put(text, 0.6 * scale)),
    ...(isNothing ? nearest(pools.expressions, node, 20) : []).map((piece, rank) =>
      put(piece, scale * 0.8 * byRank(rank)),
    ),
  ]
}

/** Copies from nearby, and the few statements that need no copy; before the statement or after. */
function inserted({ node, ancestors, pools }: Site): readonly Draft[] {
  const [parent] = ancestors
  const isGap = node.type === 'EmptyStatement'
  if (parent === undefined || (!isGap && (!isMovable(node) || !listOf(parent).includes(node)))) {
    return emptyBody({ node, pools })
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
  const isLast = listOf(parent).at(-1) === node
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
    ...copies.flatMap((piece, rank) => put(place(piece.node), scale * byRank(rank))),
    ...made.flatMap((text, rank) => put(text, scale * 0.8 * byRank(rank))),
  ]
}

function emptyBody({ node, pools }: Pick<Site, 'node' | 'pools'>): readonly Draft[] {
  if (node.type !== 'BlockStatement' || node.body.length > 0) return []
  return nearest(pools.statements, node, 24).map((piece, rank) =>
    weighted(1.5 * byRank(rank), replace(node, '{ ', place(piece.node), ' }')),
  )
}
