/** The title that a test or suite of a script will have, as far as the text says. */

import type { Title } from '../test-source.ts'
import { isFunction, type Node, nodeAt, nodesAt, textAt, unwrap } from './nodes.ts'

/** What a name stands for, where the file declares it once. */
export type Names = ReadonlyMap<string, Node>

// `%s` and `$name` of `test.each`; `%%` is a percent sign.
const places = /%[a-zA-Z#$]|\$\{?[\w.]+\}?/g

function filledIn(title: Title): Title {
  return title.flatMap((part) => {
    if (part === null) return [null]
    const literals = part.split(places).map((text) => text.replaceAll('%%', '%'))
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
  return each ? filledIn(title) : title
}

const written = new Set(['Literal', 'TemplateLiteral'])

/** A text, or a sum that begins with one: no other call than that of a test is likely to have it. */
export function isWrittenTitle(node: Node): boolean {
  let inner = unwrap(node)
  for (let left = nodeAt(inner, 'left'); left !== undefined; left = nodeAt(inner, 'left'))
    inner = unwrap(left)
  return (
    written.has(inner.type) && (inner.type !== 'Literal' || textAt(inner, 'value') !== undefined)
  )
}
