/** Another expected value of the same kind, to which the actual one cannot be equal. Never a negation. */

import { type Edit, insert } from '../test-source.ts'
import type { Expectation } from './expectations.ts'
import { type Node, nodeAt, textAt, unwrap } from './nodes.ts'

/** Further away than any likely tolerance. */
const distance = 1009

export function otherNumber(value: number): string {
  return Math.abs(value) < 1e12 ? String(value + distance) : '7'
}

function otherLiteral(node: Node, marker: string): string | undefined {
  const value = node['value']
  const bigint = textAt(node, 'bigint')
  if (bigint !== undefined) return `${BigInt(bigint) + BigInt(distance)}n`
  if (typeof value === 'number') return otherNumber(value)
  if (typeof value === 'string') return JSON.stringify(`${value} ${marker}`)
  return typeof value === 'boolean' ? String(!value) : undefined
}

function otherNegative(node: Node): string | undefined {
  const argument = nodeAt(node, 'argument')
  const value = argument?.['value']
  if (node['operator'] !== '-' || typeof value !== 'number') return undefined
  return `(${otherNumber(-value)})`
}

/**
 * If the assertion is a statement, its error is replaced by ours: runners that print both values can break on some (a
 * revoked proxy), and then the following tests do not run.
 */
export function plantValue(
  expectation: Expectation,
  text: string,
  marker: string,
): readonly Edit[] {
  const edits = changeValue(expectation, text, marker)
  const { statement } = expectation
  if (statement === undefined) return edits
  const thrown = `throw new Error(${JSON.stringify(marker)})`
  return [
    insert(statement.start, 'try { '),
    ...edits,
    insert(statement.end, ` } catch (planted) { ${thrown} }`),
  ]
}

function changeValue(
  { expected, mode }: Expectation,
  text: string,
  marker: string,
): readonly Edit[] {
  const replace = (by: string): readonly Edit[] => [
    { at: expected.start, end: expected.end, text: by },
  ]
  const inner = unwrap(expected)
  const old = text.slice(inner.start, inner.end)
  const quoted = JSON.stringify(marker)
  const never = `/(?!)${marker.replaceAll(/\W/g, '_')}/`
  if (mode === 'order') return replace('NaN')
  if (mode === 'class') return replace('class {}')
  if (inner.type === 'ObjectExpression')
    return replace(`{ ...(${old}), ${mode === 'throws' ? 'message' : quoted}: ${quoted} }`)
  if (mode === 'throws' || mode === 'match' || inner['regex'] !== undefined) return replace(never)
  if (inner.type === 'ArrayExpression') return replace(`[...(${old}), ${quoted}]`)
  if (inner.type === 'TemplateLiteral')
    return [insert(inner.end - 1, ` ${marker.replaceAll(/[`\\$]/g, '_')}`)]
  const other = inner.type === 'Literal' ? otherLiteral(inner, marker) : otherNegative(inner)
  return replace(other ?? quoted)
}
