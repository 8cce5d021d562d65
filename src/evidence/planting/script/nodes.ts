/** The syntax tree of a script: ESTree nodes with offsets, loosely typed. */

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

export const nodeAt = (node: Node, key: string): Node | undefined => {
  const value = node[key]
  return isNode(value) ? value : undefined
}

export const nodesAt = (node: Node, key: string): readonly Node[] => {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

export const textAt = (node: Node, key: string): string | undefined => {
  const value = node[key]
  return typeof value === 'string' ? value : undefined
}

export function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (const value of Object.values(node)) {
    if (isNode(value)) children.push(value)
    else if (Array.isArray(value)) for (const one of value) if (isNode(one)) children.push(one)
  }
  return children
}

/** In text order; `enter` returns false to skip the content of a node. */
export function walk(root: Node, enter: (node: Node) => boolean | void): void {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (enter(node) === false) continue
    open.push(...childrenOf(node).toSorted((a, b) => b.start - a.start))
  }
}

const functions = new Set(['FunctionExpression', 'ArrowFunctionExpression', 'FunctionDeclaration'])

export const isFunction = (node: Node | undefined): boolean =>
  node !== undefined && functions.has(node.type)

const wrappers = new Set([
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'AwaitExpression',
  'ChainExpression',
])

/** Removes parentheses, type assertions and `await`. */
export function unwrap(node: Node): Node {
  let inner = node
  while (wrappers.has(inner.type)) {
    const next = nodeAt(inner, 'expression') ?? nodeAt(inner, 'argument')
    if (next === undefined) return inner
    inner = next
  }
  return inner
}

/**
 * The names of a callee: `t.test` is `t`, `test`; `test.each(rows)` is `test`, `each`, `()`. `?`: not a name.
 */
export function pathOf(callee: Node): readonly string[] {
  const path: string[] = []
  let node: Node | undefined = unwrap(callee)
  while (node !== undefined) {
    if (node.type === 'Identifier') return [textAt(node, 'name') ?? '?', ...path]
    if (node.type === 'MemberExpression') {
      const property = nodeAt(node, 'property')
      const name = property?.type === 'Identifier' && node['computed'] !== true
      path.unshift(name && property !== undefined ? (textAt(property, 'name') ?? '?') : '?')
      node = nodeAt(node, 'object')
    } else if (node.type === 'CallExpression' || node.type === 'TaggedTemplateExpression') {
      path.unshift('()')
      node = nodeAt(node, 'callee') ?? nodeAt(node, 'tag')
    } else return ['?', ...path]
    if (node !== undefined) node = unwrap(node)
  }
  return ['?', ...path]
}
