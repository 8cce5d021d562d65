/** Reads the tests of a JavaScript, TypeScript or JSX file. */

import type { Item, ReadSource, Region, SourceTest, TestSource } from '../test-source.ts'
import { showTitle } from '../titles.ts'
import { findExpectation } from './expectations.ts'
import { collectNames, findCalls, type TestCall } from './find-tests.ts'
import { isFunction, type Node, nodeAt, nodesAt, unwrap, walk } from './nodes.ts'
import { type ParseScript, parseScript } from './parse-script.ts'
import { plantThrow } from './plant-throw.ts'
import { plantValue } from './plant-value.ts'
import type { Names } from './read-title.ts'
import { restate } from './restate.ts'

const expectedToFail = new Set(['failing', 'fails', 'todo'])

function toTest(
  call: TestCall,
  calls: readonly TestCall[],
  names: Names,
  text: string,
): SourceTest {
  const { run, title, certain, links } = call
  const { start, end } = call.call
  return {
    title,
    certain,
    links,
    start,
    end,
    plant: (kind, marker) => {
      if (run === undefined) return 'its function cannot be found in the file'
      if (call.modifiers.some((name) => expectedToFail.has(name)))
        return 'it is marked as expected to fail'
      const inside = calls.filter((one) => one.certain && one.call.start > run.start)
      const inner = new Set(inside.map((one) => one.call).filter((one) => one.end <= run.end))
      if (kind === 'restated') return restate(run, text, marker, inner)
      if (kind !== 'value') return plantThrow(run, kind, marker, inner)
      const found = findExpectation(run, names, inner)
      return found === undefined ? 'no expected value' : plantValue(found, text, marker)
    },
  }
}

const readTitles = (call: TestCall): readonly string[] => [
  ...call.links.filter((link) => link.certain).map((link) => showTitle(link.title)),
  showTitle(call.title),
]

/** `if (import.meta.vitest) { … }` */
function findInline(root: Node, text: string): readonly Region[] {
  const regions: Region[] = []
  walk(root, (node) => {
    const test = node.type === 'IfStatement' ? nodeAt(node, 'test') : undefined
    if (test === undefined || !text.slice(test.start, test.end).includes('import.meta.vitest'))
      return true
    regions.push({ titles: [], start: node.start, end: node.end })
    return false
  })
  return regions
}

function toItems(
  statements: readonly Node[],
  calls: ReadonlyMap<Node, TestCall>,
  text: string,
): readonly Item[] {
  return statements.map((statement): Item => {
    const whole = text.slice(statement.start, statement.end)
    const expression = nodeAt(statement, 'expression')
    const call = expression === undefined ? undefined : calls.get(unwrap(expression))
    if (statement.type === 'ImportDeclaration' || isRequire(statement))
      return { kind: 'import', text: whole, titles: [] }
    if (call === undefined || !call.certain) return { kind: 'code', text: whole, titles: [] }
    const titles = readTitles(call)
    const body = call.run && nodeAt(call.run, 'body')
    const inside = body !== undefined && body.start >= statement.start && body.end <= statement.end
    if (!call.suite || body?.type !== 'BlockStatement' || !inside)
      return { kind: call.suite ? 'suite' : 'test', text: whole, titles }
    const header = `${text.slice(statement.start, body.start)}{}${text.slice(body.end, statement.end)}`
    return {
      kind: 'suite',
      text: whole,
      titles,
      header,
      items: toItems(nodesAt(body, 'body'), calls, text),
    }
  })
}

/** `const x = require('x')`, for all declarations of the statement. */
function isRequire(statement: Node): boolean {
  const declared = nodesAt(statement, 'declarations')
  return (
    declared.length > 0 &&
    declared.every((one) => {
      const value = nodeAt(one, 'init')
      const callee = value?.type === 'CallExpression' ? nodeAt(value, 'callee') : undefined
      return (
        callee?.['name'] === 'require' &&
        value !== undefined &&
        nodesAt(value, 'arguments')[0]?.type === 'Literal'
      )
    })
  )
}

export function toSource(root: Node, text: string): TestSource {
  const names = collectNames(root)
  const calls = findCalls(root, names)
  const inner = calls.filter((call) => !call.suite)
  const regions = calls
    .filter((call) => call.certain && (call.run === undefined || isFunction(call.run)))
    .map((call) => ({ titles: readTitles(call), start: call.call.start, end: call.call.end }))
  return {
    tests: inner.map((call) => toTest(call, calls, names, text)),
    regions: [...findInline(root, text), ...regions],
    get items() {
      return toItems(nodesAt(root, 'body'), new Map(calls.map((call) => [call.call, call])), text)
    },
  }
}

export const readScriptWith =
  (parse: ParseScript): ReadSource =>
  async (file, text) => {
    const root = await parse(file, text)
    return root === undefined ? undefined : toSource(root, text)
  }

export const readScript: ReadSource = readScriptWith(parseScript)
