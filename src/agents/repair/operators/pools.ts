/**
 * Parts of a file that could be used elsewhere in it: conditions, expressions, statements,
 * literals, names. Each text once; nearest first.
 */

import type { AnyNode } from 'acorn'
import { type SourceFile, walk } from '../source-file.ts'
import { isCondition, isFunction } from './operator.ts'

export interface Piece {
  readonly text: string
  readonly node: AnyNode
}

export interface Pools {
  readonly conditions: readonly Piece[]
  readonly expressions: readonly Piece[]
  readonly statements: readonly Piece[]
  readonly strings: readonly Piece[]
  readonly numbers: readonly Piece[]
  readonly regexes: readonly Piece[]
  readonly lists: readonly Piece[]
  /** Names of properties that are read or written. */
  readonly properties: readonly Piece[]
  /** String literals of failing tests, as written there. */
  readonly wanted: readonly string[]
  /** Names in scope at this node, innermost first. */
  namesAt(ancestors: readonly AnyNode[]): readonly string[]
}

const charsMax = 120

export function createPools(file: SourceFile, wanted: readonly string[] = []): Pools {
  const kinds = {
    conditions: new Map<string, Piece>(),
    expressions: new Map<string, Piece>(),
    statements: new Map<string, Piece>(),
    strings: new Map<string, Piece>(),
    numbers: new Map<string, Piece>(),
    regexes: new Map<string, Piece>(),
    lists: new Map<string, Piece>(),
    properties: new Map<string, Piece>(),
  }
  const declared = new Map<AnyNode, Set<string>>()
  walk(file.program, (node, ancestors) => {
    collectNames(node, ancestors, declared)
    const text = file.code.slice(node.start, node.end)
    if (text.length > charsMax) return
    for (const kind of classify(node, ancestors[0])) {
      // Later occurrences are equivalent; the nearest is found by distance anyway.
      if (!kinds[kind].has(text)) kinds[kind].set(text, { text, node })
    }
  })
  const lists = Object.fromEntries(
    Object.entries(kinds).map(([kind, pieces]) => [kind, sortByStart(pieces)]),
  ) as Record<Kind, Piece[]>
  return {
    ...lists,
    wanted,
    namesAt: (ancestors) => [
      ...new Set(ancestors.flatMap((node) => [...(declared.get(node) ?? [])])),
    ],
  }
}

const sortByStart = (pieces: ReadonlyMap<string, Piece>): Piece[] =>
  [...pieces.values()].toSorted((a, b) => a.node.start - b.node.start)

/** Finds the pieces nearest to a node. A pool is in text order, so they surround that offset. */
export function nearest(pool: readonly Piece[], at: AnyNode, max: number): readonly Piece[] {
  const found: Piece[] = []
  let after = findFirstIndex(pool, at.start)
  let before = after - 1
  while (found.length < max && (before >= 0 || after < pool.length)) {
    const [left, right] = [pool[before], pool[after]]
    const isLeft =
      right === undefined ||
      (left !== undefined && at.start - left.node.start <= right.node.start - at.start)
    const piece = isLeft ? left : right
    if (isLeft) before--
    else after++
    const isItself = piece?.node.start === at.start && piece.node.end === at.end
    if (piece !== undefined && !isItself) found.push(piece)
  }
  return found
}

function findFirstIndex(pool: readonly Piece[], start: number): number {
  let [low, high] = [0, pool.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pool[middle]?.node.start ?? 0) < start) low = middle + 1
    else high = middle
  }
  return low
}

/** The further down a list, the less likely. */
export const rankWeight = (rank: number): number => 1 / (1 + rank * 0.08)

type Kind = Exclude<keyof Pools, 'wanted' | 'namesAt'>

function classify(node: AnyNode, parent: AnyNode | undefined): readonly Kind[] {
  const kinds: Kind[] = []
  if (isCondition(node, parent) && node.type !== 'Literal') kinds.push('conditions')
  switch (node.type) {
    case 'Literal':
      if (/^(Import|Export)/.test(parent?.type ?? '')) return []
      if (typeof node.value === 'string') kinds.push('strings')
      else if (typeof node.value === 'number') kinds.push('numbers')
      else if ('regex' in node && node.regex !== undefined) kinds.push('regexes')
      break
    case 'ArrayExpression':
    case 'ObjectExpression':
      kinds.push('lists')
      break
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'ConditionalExpression':
    case 'CallExpression':
    case 'MemberExpression':
    case 'NewExpression':
    case 'UnaryExpression':
    case 'TemplateLiteral':
      kinds.push('expressions')
      break
    case 'ExpressionStatement':
    case 'ReturnStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'ThrowStatement':
    case 'IfStatement':
      kinds.push('statements')
      break
    case 'Identifier':
      if (parent?.type === 'MemberExpression' && !parent.computed && parent.property === node) {
        kinds.push('properties')
      }
      break
    default:
  }
  return kinds
}

/** Names belong to the innermost function, or to the file: blocks are ignored. */
function collectNames(
  node: AnyNode,
  ancestors: readonly AnyNode[],
  declared: Map<AnyNode, Set<string>>,
): void {
  const add = (owner: AnyNode | undefined, pattern: AnyNode): void => {
    if (owner === undefined) return
    const names = declared.get(owner) ?? new Set()
    declared.set(owner, names)
    walk(pattern, (part, [parent]) => {
      const isKey = parent?.type === 'Property' && parent.key === part && !parent.shorthand
      const isDefault = parent?.type === 'AssignmentPattern' && parent.right === part
      if (part.type === 'Identifier' && !isKey && !isDefault) names.add(part.name)
    })
  }
  const owner = ancestors.find((one) => isFunction(one) || one.type === 'Program')
  if (node.type === 'VariableDeclarator') add(owner, node.id)
  else if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    if (node.id !== null) add(owner, node.id)
  } else if (node.type === 'ImportDeclaration') {
    for (const specifier of node.specifiers) add(owner, specifier.local)
  }
  if ('params' in node && isFunction(node)) {
    for (const parameter of node.params) add(node, parameter)
  }
}
