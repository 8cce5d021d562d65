/**
 * Finds the tests of a script by their shape: a call with a title and a function. Names such as `it` and `describe` make
 * it certain; a computed title is considered only with such a name.
 */

import type { Link } from '../test-source.ts'
import {
  childrenOf,
  isFunction,
  type Node,
  nodeAt,
  nodesAt,
  pathOf,
  textAt,
  unwrap,
} from './nodes.ts'
import { isLiteralTitle, type Names, readTitle } from './read-title.ts'

export interface TestCall extends Link {
  readonly call: Node
  readonly suite: boolean
  readonly links: readonly Link[]
  readonly modifiers: readonly string[]
  /** The function that runs when the test runs. Absent: the text does not show it. */
  readonly run?: Node
}

const suites = new Set(['describe', 'suite', 'context', 'feature', 'module', 'group', 'fdescribe'])
const tests = new Set(['it', 'test', 'specify', 'scenario', 'fit', 'xit', 'xtest'])
const modifiers = new Set(
  (
    'only skip todo each for concurrent sequential serial parallel failing fails if skipIf runIf ' +
    'shuffle extend timeout retry slow () ?'
  ).split(' '),
)

/** Every name that the file declares exactly once, with its function or initial value. */
export function collectNames(root: Node): Names {
  const found = new Map<string, Node | undefined>()
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const id = nodeAt(node, 'id')
    const name = id === undefined ? undefined : textAt(id, 'name')
    if (name !== undefined && node.type === 'FunctionDeclaration')
      found.set(name, found.has(name) ? undefined : node)
    if (name !== undefined && node.type === 'VariableDeclarator') {
      const value = nodeAt(node, 'init')
      found.set(name, found.has(name) || value === undefined ? undefined : unwrap(value))
    }
    for (const child of childrenOf(node)) open.push(child)
  }
  const once = [...found].filter((entry): entry is [string, Node] => entry[1] !== undefined)
  return new Map(once)
}

/** `import { test as t }`, `const { test: t } = …`, `const t = test`. */
function collectAliases(root: Node): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>()
  const add = (local: Node | undefined, name: Node | undefined): void => {
    const [to, from] = [local, name].map((node) => node && textAt(node, 'name'))
    if (to !== undefined && from !== undefined && (tests.has(from) || suites.has(from)))
      aliases.set(to, from)
  }
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'ImportSpecifier') add(nodeAt(node, 'local'), nodeAt(node, 'imported'))
    if (node.type === 'Property') add(nodeAt(node, 'value'), nodeAt(node, 'key'))
    if (node.type === 'VariableDeclarator') add(nodeAt(node, 'id'), nodeAt(node, 'init'))
    for (const child of childrenOf(node)) open.push(child)
  }
  return aliases
}

function findFunction(argument: Node, names: Names, depth = 0): Node | undefined {
  const node = unwrap(argument)
  if (isFunction(node)) return node
  if (depth > 5) return undefined
  if (node.type === 'Identifier') {
    const value = names.get(textAt(node, 'name') ?? '')
    return value === undefined || value === node ? undefined : findFunction(value, names, depth + 1)
  }
  if (node.type !== 'CallExpression') return undefined
  const inner = nodesAt(node, 'arguments').map((one) => findFunction(one, names, depth + 1))
  const found = inner.filter((one) => one !== undefined)
  return found.length === 1 ? found[0] : undefined
}

/** The last inline function, else the first one that a name or a call leads to. */
function findRun(given: readonly Node[], names: Names): Node | undefined {
  const direct = given.findLast((argument) => isFunction(unwrap(argument)))
  if (direct !== undefined) return unwrap(direct)
  for (const argument of given) {
    const found = findFunction(argument, names)
    if (found !== undefined) return found
  }
  return undefined
}

interface Declarations {
  readonly names: Names
  readonly aliases: ReadonlyMap<string, string>
}

function readCall(
  call: Node,
  links: readonly Link[],
  declarations: Declarations,
): TestCall | undefined {
  const callee = nodeAt(call, 'callee')
  const given = nodesAt(call, 'arguments')
  const [first] = given
  if (callee === undefined || first === undefined) return undefined
  const path = pathOf(callee).map((name, index) =>
    index === 0 ? (declarations.aliases.get(name) ?? name) : name,
  )
  const name = path.findLast((one) => !modifiers.has(one)) ?? '?'
  const suite = suites.has(name)
  const certain = suite || tests.has(name)
  const inserted = path.at(-1) === '()'
  if (path[0] === 'expect' || (!certain && !isLiteralTitle(first))) return undefined
  const run = findRun(isFunction(unwrap(first)) ? given : given.slice(1), declarations.names)
  if (run === undefined && !certain) return undefined
  const title = readTitle(first, declarations.names, inserted)
  const used = path.filter((one) => modifiers.has(one))
  return { call, suite, certain, title, links, modifiers: used, ...(run && { run }) }
}

/** In text order, suites before their content. */
export function findCalls(root: Node, names: Names): readonly TestCall[] {
  const declarations = { names, aliases: collectAliases(root) }
  const calls: TestCall[] = []
  const open: [Node, readonly Link[]][] = [[root, []]]
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const [node, links] = entry
    const call = node.type === 'CallExpression' ? readCall(node, links, declarations) : undefined
    if (call !== undefined) calls.push(call)
    const inside = call === undefined ? links : [...links, call]
    const children = childrenOf(node).toSorted((a, b) => b.start - a.start)
    for (const child of children) open.push([child, inside])
  }
  return calls
}
