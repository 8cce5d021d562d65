/**
 * Inserts counters into code, so that each test shows which parts it ran: before statements, in
 * both branches, after `&&` and `||`, in the bodies of arrow functions.
 */

import type { AnyNode } from 'acorn'
import { type SourceFile, walk } from './source-file.ts'

/** The code that runs when its counter moves. */
export interface Region {
  readonly file: string
  readonly start: number
  readonly end: number
  /** Outside all functions: it runs when the file is loaded. */
  readonly isTopLevel: boolean
}

export interface ProbedCode {
  readonly code: string
  readonly regions: readonly Region[]
}

interface Insertion {
  readonly at: number
  readonly text: string
  /** Among insertions at one offset: closing ones first, then the outermost. */
  readonly order: number
}

export function insertProbes(file: SourceFile, firstNumber: number): ProbedCode {
  const regions: Region[] = []
  const insertions: Insertion[] = []
  let order = 0
  const count = (node: AnyNode, ancestors: readonly AnyNode[]): string => {
    const isTopLevel = !ancestors.some(({ type }) =>
      /Function|^PropertyDefinition|^StaticBlock/.test(type),
    )
    regions.push({ file: file.path, start: node.start, end: node.end, isTopLevel })
    return `__loopwright[${firstNumber + regions.length - 1}]=1`
  }
  const insert = (at: number, text: string): void => {
    insertions.push({ at, text, order: order++ })
  }
  const wrap = (node: AnyNode, open: string, close: string): void => {
    insert(node.start, open)
    insertions.push({ at: node.end, text: close, order: -order++ })
  }
  walk(file.program, (node, ancestors) => {
    const [parent] = ancestors
    if (isListed(node, parent)) insert(node.start, `;${count(node, ancestors)};`)
    else if (isBody(node, parent)) wrap(node, `{${count(node, ancestors)};`, '}')
    else if (isBranch(node, parent)) wrap(node, `(${count(node, ancestors)},`, ')')
  })
  return { code: insertAll(file.code, insertions), regions }
}

function insertAll(code: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.toSorted((a, b) => a.at - b.at || a.order - b.order)
  let at = 0
  const parts: string[] = []
  for (const one of sorted) {
    parts.push(code.slice(at, one.at), one.text)
    at = one.at
  }
  return parts.join('') + code.slice(at)
}

/** A statement in a list. Directives have to stay first, and imports need no counter. */
function isListed(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (parent === undefined || !isStatement(node)) return false
  if (node.type === 'ExpressionStatement' && 'directive' in node && node.directive !== undefined) {
    return false
  }
  if (needsNoCounter(node)) return false
  if (
    parent.type === 'BlockStatement' ||
    parent.type === 'Program' ||
    parent.type === 'StaticBlock'
  ) {
    return true
  }
  return parent.type === 'SwitchCase'
}

/** Exported values may be computed when the file is loaded; functions exist before. */
function needsNoCounter(node: AnyNode): boolean {
  if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration') {
    const { declaration } = node
    return declaration === null || declaration === undefined || needsNoCounter(declaration)
  }
  return /^(Import|ExportAll)|^FunctionDeclaration$/.test(node.type)
}

/** A single statement where a block could be. */
function isBody(node: AnyNode, parent: AnyNode | undefined): boolean {
  if (!isStatement(node) || node.type === 'BlockStatement') return false
  switch (parent?.type) {
    case 'IfStatement':
      return parent.consequent === node || parent.alternate === node
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return parent.body === node
    default:
      return false
  }
}

/** An expression that may not be evaluated. */
function isBranch(node: AnyNode, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case 'ConditionalExpression':
      return parent.consequent === node || parent.alternate === node
    case 'LogicalExpression':
      return parent.right === node
    case 'ArrowFunctionExpression':
      return parent.body === node && node.type !== 'BlockStatement'
    default:
      return false
  }
}

const isStatement = ({ type }: AnyNode): boolean =>
  type.endsWith('Statement') ||
  /^(Variable|Function|Class|ExportNamed|ExportDefault)Declaration$/.test(type)

/** For each offset of a file the number of the innermost region around it, or -1. */
export function regionTable(
  length: number,
  regions: readonly Region[],
  firstNumber: number,
): Int32Array {
  const table = new Int32Array(length + 1).fill(-1)
  const outermostFirst = regions
    .map(({ start, end }, index) => ({ start, end, number: firstNumber + index }))
    .toSorted((a, b) => b.end - b.start - (a.end - a.start))
  for (const { start, end, number } of outermostFirst) table.fill(number, start, end)
  return table
}
