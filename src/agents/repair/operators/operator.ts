/** What an operator is: small edits of one kind, proposed for one node of a file at a time. */

import type { AnyNode } from 'acorn'
import type { Draft } from '../edit.ts'
import type { SourceFile } from '../source-file.ts'
import type { Pools } from './pools.ts'

export interface Site {
  readonly node: AnyNode
  /** The nearest first. */
  readonly ancestors: readonly AnyNode[]
  readonly file: SourceFile
  readonly pools: Pools
}

export interface Operator {
  readonly name: string
  /** How likely it is that an edit of this kind mends a fault: from 0 to 1, set by hand. */
  readonly prior: number
  /** Faults are planted with it too. */
  readonly plants: boolean
  /** What it takes out cannot be worked out from what it leaves. */
  readonly losesInformation: boolean
  propose(site: Site): readonly Draft[]
}

/** An operator that mends only. */
export const mends = (
  name: string,
  prior: number,
  propose: (site: Site) => readonly Draft[],
): Operator => ({ name, prior, plants: false, losesInformation: false, propose })

/** An operator whose faults it, or another one, can take back. */
export const swaps = (
  name: string,
  prior: number,
  propose: (site: Site) => readonly Draft[],
): Operator => ({ name, prior, plants: true, losesInformation: false, propose })

/** An operator that takes something away. */
export const loses = (
  name: string,
  prior: number,
  propose: (site: Site) => readonly Draft[],
): Operator => ({ name, prior, plants: true, losesInformation: true, propose })

export const replace = (
  node: { readonly start: number; readonly end: number },
  ...pieces: Draft['pieces']
): Draft => ({ start: node.start, end: node.end, pieces })

export const place = ({
  start,
  end,
}: {
  readonly start: number
  readonly end: number
}): readonly [number, number] => [start, end]

export const weighted = (weight: number, draft: Draft): Draft => ({ ...draft, weight })

/** Where an operator's token stands between two nodes: brackets and comments are passed over. */
export function tokenBetween(code: string, from: number, token: string): number | undefined {
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

/** The same operator with another sign. */
export function withToken(
  code: string,
  left: AnyNode,
  token: string,
  others: readonly (readonly [token: string, weight: number])[],
): readonly Draft[] {
  const at = tokenBetween(code, left.end, token)
  if (at === undefined) return []
  return others.map(([other, weight]) => ({
    start: at,
    end: at + token.length,
    pieces: [other],
    weight,
  }))
}

/** Expressions that need no brackets before a sign. */
export const isTight = ({ type }: AnyNode): boolean =>
  type === 'Identifier' ||
  type === 'MemberExpression' ||
  type === 'CallExpression' ||
  type === 'Literal' ||
  type === 'ThisExpression' ||
  type === 'UnaryExpression'

/** Whether an expression decides what happens next. */
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
