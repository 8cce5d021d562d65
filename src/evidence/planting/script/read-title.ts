/** Reads the title of a test or suite in a script, as far as the text determines it. */

import type { Title } from '../test-source.ts'
import { isFunction, type Node, nodeAt, nodesAt, textAt, unwrap } from './nodes.ts'

/** The values of names that the file declares exactly once. */
export type Names = ReadonlyMap<string, Node>

// `%s` and `$name` of `test.each`; `%%` is a percent sign.
const placeholders = /%[a-zA-Z#$]|\$\{?[\w.]+\}?/g

function replacePlaceholders(title: Title): Title {
  return title.flatMap((part) => {
    if (part === null) return [null]
    const literals = part.split(placeholders).map((text) => text.replaceAll('%%', '%'))
    return literals.flatMap((text, index) => (index === 0 ? [text] : [null, text]))
  })
}

function read(node: Node, names: Names, depth: number): Title {
  const inner = unwrap(node)
  if (depth > 50) return [null]
  if (inner.type === 'Literal') return [String(inner['value'])]
  if (inner.type === 'TemplateLiteral')
    return nodesAt(inner, 'quasis').flatMap((quasi, index) => {
      const cooked = (quasi['value'] as { readonly cooked?: string } | undefined)?.cooked ?? null
      return index === 0 ? [cooked] : [null, cooked]
    })
  if (inner.type === 'BinaryExpression' && inner['operator'] === '+') {
    const [left, right] = [nodeAt(inner, 'left'), nodeAt(inner, 'right')]
    if (left === undefined || right === undefined) return [null]
    return [...read(left, names, depth + 1), ...read(right, names, depth + 1)]
  }
  if (inner.type === 'Identifier') {
    const value = names.get(textAt(inner, 'name') ?? '')
    return value?.type === 'Literal' ? [String(value['value'])] : [null]
  }
  const id = isFunction(inner) ? nodeAt(inner, 'id') : undefined
  return [(id === undefined ? undefined : textAt(id, 'name')) ?? null]
}

export function readTitle(node: Node, names: Names, each: boolean): Title {
  const title = read(node, names, 0)
  return each ? replacePlaceholders(title) : title
}

const literalTypes = new Set(['Literal', 'TemplateLiteral'])

/** A string, or a sum that starts with one: calls other than tests are unlikely to have it. */
export function isLiteralTitle(node: Node): boolean {
  let inner = unwrap(node)
  for (let left = nodeAt(inner, 'left'); left !== undefined; left = nodeAt(inner, 'left'))
    inner = unwrap(left)
  return (
    literalTypes.has(inner.type) &&
    (inner.type !== 'Literal' || textAt(inner, 'value') !== undefined)
  )
}
