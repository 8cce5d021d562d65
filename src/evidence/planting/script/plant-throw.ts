/**
 * Plants a throw before or after the last statement of a test function, on the same line, so that line numbers stay. A
 * call that only ends the test (`done()`, `t.end()`) does not count as its last statement. Every `return` of the function
 * throws as well, so that a test that returns early also fails.
 */

import { type Edit, insert } from '../test-source.ts'
import { isFunction, type Node, nodeAt, nodesAt, textAt, walk } from './nodes.ts'

const hoisted = new Set([
  'EmptyStatement',
  'FunctionDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
])

function isEndCall(statement: Node, parameters: ReadonlySet<string>): boolean {
  const call =
    statement.type === 'ExpressionStatement' ? nodeAt(statement, 'expression') : undefined
  if (call?.type !== 'CallExpression' || nodesAt(call, 'arguments').length > 0) return false
  const callee = nodeAt(call, 'callee')
  if (callee?.type === 'Identifier') return parameters.has(textAt(callee, 'name') ?? '')
  const object = callee === undefined ? undefined : nodeAt(callee, 'object')
  const property = callee === undefined ? undefined : nodeAt(callee, 'property')
  const names = [object, property].map((node) => node && textAt(node, 'name'))
  return parameters.has(names[0] ?? '') && /^(?:end|done)$/.test(names[1] ?? '')
}

function findLast(run: Node, body: Node): Node | undefined {
  const parameters = new Set(nodesAt(run, 'params').map((one) => textAt(one, 'name') ?? '?'))
  return nodesAt(body, 'body').findLast(
    (statement) =>
      !hoisted.has(statement.type) &&
      !(statement.type === 'ReturnStatement' && nodeAt(statement, 'argument') === undefined) &&
      !isEndCall(statement, parameters),
  )
}

function findReturns(body: Node): readonly Node[] {
  const returns: Node[] = []
  walk(body, (node) => {
    if (isFunction(node) || node.type.startsWith('Class')) return false
    if (node.type === 'ReturnStatement') returns.push(node)
    return true
  })
  return returns
}

function hasAny(node: Node, wanted: ReadonlySet<Node>): boolean {
  return [...wanted].some((one) => one.start >= node.start && one.end <= node.end)
}

/** `inner`: the tests inside this one. */
export function plantThrow(
  run: Node,
  wanted: 'before' | 'after',
  marker: string,
  inner: ReadonlySet<Node>,
): readonly Edit[] | string {
  if (run['generator'] === true) return 'its function is a generator'
  const body = nodeAt(run, 'body')
  if (body === undefined) return 'its function has no body'
  const last = findLast(run, body)
  // A throw before inner tests would prevent them from running.
  const kind = last !== undefined && hasAny(last, inner) ? 'after' : wanted
  const error = `throw new Error(${JSON.stringify(marker)})`
  // A call, because compilers reject code after a plain throw as unreachable.
  const throws = `(() => { ${error} })()`
  const around = (expression: Node): readonly Edit[] =>
    kind === 'before'
      ? [insert(expression.start, `(${throws}, `), insert(expression.end, ')')]
      : [
          insert(expression.start, 'Promise.resolve(('),
          insert(expression.end, `)).then(() => { ${error} })`),
        ]
  if (body.type !== 'BlockStatement') return around(body)
  if (last?.type === 'ThrowStatement' && kind === 'after') return 'its last statement throws'
  const returned = last?.type === 'ReturnStatement' ? nodeAt(last, 'argument') : undefined
  const main = (): readonly Edit[] => {
    if (last === undefined) return [insert(body.start + 1, ` ${throws}; `)]
    if (returned !== undefined) return around(returned)
    return [insert(kind === 'before' ? last.start : last.end, `;${throws}; `)]
  }
  const early = findReturns(body).filter((node) => node !== last)
  const others = early.flatMap((node) => {
    const argument = nodeAt(node, 'argument')
    return argument === undefined ? [insert(node.start + 6, ` ${throws}`)] : around(argument)
  })
  return [...main(), ...others]
}
