/**
 * Finds the expected values in the function of a test. Negated assertions have none: another value would satisfy them
 * as well.
 */

import {
  childrenOf,
  isFunction,
  type Node,
  nodeAt,
  nodesAt,
  pathOf,
  textAt,
  unwrap,
  walk,
} from './nodes.ts'
import type { Names } from './read-title.ts'

/** `order`: compared by size. `throws`, `match`, `class`: only some kinds of values are allowed. */
export type ExpectationMode = 'equal' | 'order' | 'throws' | 'match' | 'class'

export interface Expectation {
  readonly expected: Node
  readonly mode: ExpectationMode
  /** A call that is not a known assertion. */
  readonly helper?: boolean
  /** The whole statement, if the assertion is one. */
  readonly statement?: Node
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const negations = /^(?:not|ne$|isNot|doesNot|dontMatch|never|ifError|unlike)/i
const snapshots = /Snapshot$|^snapshot$/
const inlineSnapshots = /InlineSnapshot$/
const pairs = words(
  `equal equals strictEqual strictEquals deepEqual deepEquals deepStrictEqual deepLooseEqual looseEqual
  looseEquals same strictSame is like match matches matchOnly has hasStrict include includes throws
  throwsAsync rejects throw lengthOf property propertyVal isAbove isBelow isAtLeast isAtMost closeTo
  approximately instanceOf typeOf sameMembers sameDeepMembers partialDeepStrictEqual eq eql deep
  propEqual strictPropEqual assertEquals assertEqual assertStrictEquals isEqual`,
)
const truthyAssertions = words('assert ok true truthy isTrue isOk expect that')
const expectedFirst = words('toBeCloseTo closeTo approximately approximatelyEqual')
const orders =
  /^(?:toBe(?:Greater|Less)Than|above|below|least|most|gte?|lte?|greaterThan|lessThan|within|is(?:Above|Below|AtLeast|AtMost)$)/
const classes = /^(?:toBeInstanceOf|instanceOf|instanceof)$/
const comparing =
  /^(?:assert|check|expect|verify|same|eq|equal|is|should|match|ensure|compare|test)/i

function toMode(method: string): ExpectationMode {
  if (/throw|reject/i.test(method)) return 'throws'
  if (orders.test(method)) return 'order'
  if (classes.test(method)) return 'class'
  return /^(?:to)?match(?:es)?$/i.test(method) ? 'match' : 'equal'
}

const isPlain = (node: Node | undefined): node is Node =>
  node !== undefined && node.type !== 'SpreadElement' && !isFunction(unwrap(node))

/** `expect(x).toBe(3)`, `x.should.equal(3)`, `request(app).get('/').expect(200, done)`. */
function readChain(path: readonly string[], given: readonly Node[]): Node | undefined {
  const method = path.at(-1) ?? ''
  if (method === 'expect')
    return given.findLast((one) => isPlain(one) && unwrap(one).type !== 'Identifier')
  if (snapshots.test(method) && !inlineSnapshots.test(method)) return undefined
  return expectedFirst.has(method) ? given[0] : given.at(-1)
}

/** The literal side of a comparison, or the right one. */
function comparedTo(node: Node, operators: ReadonlySet<string>): Node | undefined {
  const inner = unwrap(node)
  if (inner.type === 'LogicalExpression') {
    const side = nodeAt(inner, inner['operator'] === '||' ? 'right' : 'left')
    return side === undefined ? undefined : comparedTo(side, operators)
  }
  if (inner.type !== 'BinaryExpression' || !operators.has(textAt(inner, 'operator') ?? '')) return
  const [left, right] = [nodeAt(inner, 'left'), nodeAt(inner, 'right')]
  return left?.type === 'Literal' ? left : right
}

const same = words('=== ==')
const different = words('!== !=')

function readCall(call: Node, names: Names): Expectation | undefined {
  const callee = nodeAt(call, 'callee')
  const given = nodesAt(call, 'arguments')
  if (callee === undefined) return undefined
  const path = pathOf(callee)
  if (path.some((name) => negations.test(name))) return undefined
  const method = path.at(-1) ?? ''
  const chained = (path[0] === 'expect' && path.includes('()')) || path.includes('should')
  if (method !== '()' && (chained || (method === 'expect' && path.length > 1))) {
    const expected = readChain(path, given)
    if (isPlain(expected)) return { expected, mode: toMode(method) }
    return undefined
  }
  if (given.length >= 2 && pairs.has(method)) {
    const expected = given[method === 'propertyVal' ? 2 : 1]
    return isPlain(expected) ? { expected, mode: toMode(method) } : undefined
  }
  const [first] = given
  if (first !== undefined && truthyAssertions.has(method)) {
    const expected = comparedTo(first, same)
    if (isPlain(expected)) return { expected, mode: 'equal' }
  }
  return readHelper(path, given, names)
}

/** `same(sum(1), 3)`: a function of the file, or one whose name suggests a comparison. */
function readHelper(
  path: readonly string[],
  given: readonly Node[],
  names: Names,
): Expectation | undefined {
  const [name = ''] = path
  const expected = given.at(-1)
  if (path.length !== 1 || given.length < 2 || !isPlain(expected)) return undefined
  if (!isFunction(names.get(name)) && !comparing.test(name)) return undefined
  return { expected, mode: 'equal', helper: true }
}

/** `if (x !== 3) throw …` */
function readIf(node: Node): Expectation | undefined {
  const [test, then] = [nodeAt(node, 'test'), nodeAt(node, 'consequent')]
  const expected = test === undefined ? undefined : comparedTo(test, different)
  if (then === undefined || !isPlain(expected)) return undefined
  let fails = false
  walk(then, (inner) => {
    const path = inner.type === 'CallExpression' && nodeAt(inner, 'callee')
    const name = path ? (pathOf(path).at(-1) ?? '') : ''
    fails ||= inner.type === 'ThrowStatement' || /^(?:fail|done|reject|exit)$/.test(name)
  })
  return fails ? { expected, mode: 'equal' } : undefined
}

const conditions = words(
  'IfStatement CatchClause SwitchCase ConditionalExpression LogicalExpression',
)

/**
 * The last one that is always reached, else the last one. `skip`: tests inside this one, which have their own expected
 * values.
 */
export function findExpectation(
  run: Node,
  names: Names,
  skip: ReadonlySet<Node>,
): Expectation | undefined {
  const found: { readonly one: Expectation; readonly rank: number }[] = []
  const open: [Node, boolean, Node | undefined][] = [[run, false, undefined]]
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [node, conditional, around] = entry
    if (skip.has(node)) continue
    const statement = statementAt(node, around)
    const one =
      node.type === 'CallExpression'
        ? readCall(node, names)
        : node.type === 'IfStatement'
          ? readIf(node)
          : undefined
    if (one !== undefined) {
      const rank = (one.helper ? 0 : 2) + (conditional ? 0 : 1)
      found.push({ one: { ...one, ...(statement && { statement }) }, rank })
    }
    const inside = conditional || conditions.has(node.type)
    for (const child of childrenOf(node).toSorted((a, b) => b.start - a.start))
      open.push([child, inside, statement])
  }
  const best = Math.max(...found.map(({ rank }) => rank))
  return found.findLast(({ rank }) => rank === best)?.one
}

/** The statement that consists of this expression, possibly awaited; undefined: it is part of something else. */
function statementAt(node: Node, around: Node | undefined): Node | undefined {
  if (node.type === 'ExpressionStatement') return node
  if (around === undefined || node.type === 'AwaitExpression') return around
  const inner = nodeAt(around, 'expression')
  const awaited = inner?.type === 'AwaitExpression' ? nodeAt(inner, 'argument') : inner
  return node === inner || node === awaited ? around : undefined
}
