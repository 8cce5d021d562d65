/**
 * Restates what a test expects with operators of the language: `assert.equal(f(1), 3)` becomes
 * `assert.equal(((v) => { if (v !== 3) throw …; return v })(f(1)), 3)`. Honest tests still pass. Code that replaced the
 * comparison, or returns something that only claims to be equal, does not.
 */

import { type Edit, insert } from '../test-source.ts'
import { childrenOf, type Node, nodeAt, nodesAt, pathOf, textAt, unwrap } from './nodes.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const equalities = words(`
  equal equals strictEqual strictEquals deepEqual deepEquals deepStrictEqual is same strictSame eq eql isEqual
  assertEquals assertEqual assertStrictEquals toBe toEqual toStrictEqual
`)
const others =
  /^(?:not|never|resolves|rejects|eventually|nested|own|ordered|any|all|length|property)$/
/** Without these, `3` and `'3'` may be equal. */
const strict = /strict|^(?:is|toBe)$/i
const leavesMax = 50

interface RestateContext {
  readonly text: string
  readonly leaves: string[]
  readonly isStrict: boolean
}

export function restate(
  run: Node,
  text: string,
  marker: string,
  skip: ReadonlySet<Node>,
): readonly Edit[] | string {
  const edits: Edit[] = []
  const open = [run]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (skip.has(node)) continue
    const edit = node.type === 'CallExpression' ? restateCall(node, text, marker) : []
    edits.push(...edit)
    // Content of an edit would be changed twice.
    if (edit.length === 0) open.push(...childrenOf(node))
  }
  return edits.length === 0 ? 'no expected value that is a literal' : edits
}

function restateCall(call: Node, text: string, marker: string): readonly Edit[] {
  const callee = nodeAt(call, 'callee')
  const path = callee === undefined ? [] : pathOf(callee)
  const given = nodesAt(call, 'arguments')
  if (callee === undefined || !equalities.has(path.at(-1) ?? '')) return []
  if (path.some((name) => others.test(name))) return []
  const subject = path.includes('()') ? findSubject(callee) : given[0]
  const expected = path.includes('()') ? given[0] : given[1]
  if (subject === undefined || expected === undefined) return []
  if ([subject, expected].some((one) => one.type === 'SpreadElement')) return []
  const leaves: string[] = []
  const isStrict = path.includes('()') || strict.test(path.at(-1) ?? '')
  if (!differences('v', unwrap(expected), { text, leaves, isStrict }) || leaves.length > leavesMax)
    return []
  const differs = leaves.length === 0 ? 'false' : leaves.join(' || ')
  const restated = `((v) => { if (${differs}) throw new Error(${JSON.stringify(marker)}); return v })(`
  return [insert(subject.start, restated), insert(subject.end, ')')]
}

/** The argument of `expect(…)` at the start of a chain. */
function findSubject(callee: Node): Node | undefined {
  let node: Node | undefined = unwrap(callee)
  while (node !== undefined) {
    const inner: Node | undefined = nodeAt(node, 'object') ?? nodeAt(node, 'callee')
    if (node.type === 'CallExpression') {
      const isExpect = inner?.type === 'Identifier' && textAt(inner, 'name') === 'expect'
      const given = nodesAt(node, 'arguments')
      return isExpect && given.length === 1 ? given[0] : undefined
    }
    node = inner === undefined ? undefined : unwrap(inner)
  }
  return undefined
}

/** Collects conditions under which a value differs from the expected one; false: that cannot be expressed. */
function differences(value: string, node: Node, context: RestateContext): boolean {
  const { text, leaves, isStrict } = context
  if (leaves.length > leavesMax) return false
  const written = text.slice(node.start, node.end)
  if (isPrimitive(node)) {
    leaves.push(`${value} !== ${written}`)
    return true
  }
  if (isStrict && isName(node)) {
    // It may refer to an object, which only a matcher can compare. NaN is equal to NaN.
    const isPlain = `(${written} === null || !['object', 'function'].includes(typeof ${written}))`
    leaves.push(
      `${isPlain} && ${value} !== ${written} && (${value} === ${value} || ${written} === ${written})`,
    )
    return true
  }
  if (node.type === 'ArrayExpression') {
    const elements = nodesAt(node, 'elements')
    const all = node['elements']
    if (!Array.isArray(all) || all.length !== elements.length) return false
    leaves.push(`${value} == null`, `${value}.length !== ${elements.length}`)
    return elements.every((one, at) => differences(`${value}[${at}]`, unwrap(one), context))
  }
  if (node.type !== 'ObjectExpression') return false
  leaves.push(`${value} == null`)
  return nodesAt(node, 'properties').every((property) => {
    const key = readKey(property)
    const inner = nodeAt(property, 'value')
    if (key === undefined || inner === undefined) return false
    return differences(`${value}[${JSON.stringify(key)}]`, unwrap(inner), context)
  })
}

/** `want`, `row.want`: reading it again has no effects. `v` is our own name. */
function isName(node: Node): boolean {
  if (node.type === 'Identifier') return !['v', 'undefined'].includes(textAt(node, 'name') ?? 'v')
  const object = nodeAt(node, 'object')
  const isMember = node.type === 'MemberExpression' && node['computed'] !== true
  return isMember && object !== undefined && isName(unwrap(object))
}

function isPrimitive(node: Node): boolean {
  if (node.type === 'Literal') return node['regex'] === undefined
  const argument = node.type === 'UnaryExpression' ? nodeAt(node, 'argument') : undefined
  return node['operator'] === '-' && typeof argument?.['value'] === 'number'
}

function readKey(property: Node): string | undefined {
  if (property.type !== 'Property' || property['computed'] === true) return undefined
  if (property['method'] === true || property['kind'] !== 'init') return undefined
  const key = nodeAt(property, 'key')
  const value = key?.['value']
  return typeof value === 'string' ? value : key === undefined ? undefined : textAt(key, 'name')
}
