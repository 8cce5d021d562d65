/** An operator proposes small edits of one kind, for one node of a file at a time. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import type { SourceFile } from '../source-file.ts'
import type { Pools } from './pools.ts'

export interface Site {
  readonly node: AnyNode
  /** Nearest first. */
  readonly ancestors: readonly AnyNode[]
  readonly file: SourceFile
  readonly pools: Pools
}

export interface Operator {
  readonly name: string
  /** How likely an edit of this kind fixes a defect: from 0 to 1, set by hand. */
  readonly prior: number
  /** It is also used to plant defects. */
  readonly plants: boolean
  /** What it removes cannot be derived from what remains. */
  readonly losesInformation: boolean
  propose(site: Site): readonly Draft[]
}

/** An operator that only repairs. */
export const repairOperator = (
  name: string,
  prior: number,
  propose: (site: Site) => readonly Draft[],
): Operator => ({ name, prior, plants: false, losesInformation: false, propose })

/** An operator whose defects it, or another one, can undo. */
export const swapOperator = (
  name: string,
  prior: number,
  propose: (site: Site) => readonly Draft[],
): Operator => ({ name, prior, plants: true, losesInformation: false, propose })

/** An operator that removes something. */
export const removalOperator = (
  name: string,
  prior: number,
  propose: (site: Site) => readonly Draft[],
): Operator => ({ name, prior, plants: true, losesInformation: true, propose })

export const replace = (
  node: { readonly start: number; readonly end: number },
  ...pieces: Draft['pieces']
): Draft => ({ start: node.start, end: node.end, pieces })

export const rangeOf = ({
  start,
  end,
}: {
  readonly start: number
  readonly end: number
}): readonly [number, number] => [start, end]

export const weighted = (weight: number, draft: Draft): Draft => ({ ...draft, weight })

/** Finds an operator's token between two nodes, skipping parentheses and comments. */
export function findToken(code: string, from: number, token: string): number | undefined {
  let at = from
  for (;;) {
    const rest = code.slice(at, at + 2)
    if (code.startsWith(token, at) && rest !== '//' && rest !== '/*') return at
    if (rest === '//') at = lineEnd(code, at)
    else if (rest === '/*') at = code.indexOf('*/', at) + 2
    else if (/[\s)]/.test(code[at] ?? '')) at++
    else return undefined
    if (at < from) return undefined
  }
}

function lineEnd(code: string, at: number): number {
  const end = code.indexOf('\n', at)
  return end === -1 ? code.length : end
}

/** The same expression with other operators. */
export function replaceToken(
  code: string,
  left: AnyNode,
  token: string,
  others: readonly (readonly [token: string, weight: number])[],
): readonly Draft[] {
  const at = findToken(code, left.end, token)
  if (at === undefined) return []
  return others.map(([other, weight]) => ({
    start: at,
    end: at + token.length,
    pieces: [other],
    weight,
  }))
}

/** Expressions that need no parentheses after a unary operator. */
export const needsNoParentheses = ({ type }: AnyNode): boolean =>
  type === 'Identifier' ||
  type === 'MemberExpression' ||
  type === 'CallExpression' ||
  type === 'Literal' ||
  type === 'ThisExpression' ||
  type === 'UnaryExpression'

/** Whether an expression controls a branch. */
export function isCondition(node: AnyNode, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'IfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
    case 'ConditionalExpression':
      return parent.test === node
    case 'LogicalExpression':
      return parent.operator !== '??'
    case 'UnaryExpression':
      return parent.operator === '!'
    default:
      return false
  }
}

export const isFunction = ({ type }: AnyNode): boolean =>
  type === 'FunctionDeclaration' ||
  type === 'FunctionExpression' ||
  type === 'ArrowFunctionExpression'
