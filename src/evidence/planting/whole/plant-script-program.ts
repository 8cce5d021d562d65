/** Plants failures in JavaScript and TypeScript programs. */

import { findExpectation } from '../script/expectations.ts'
import { collectNames } from '../script/find-tests.ts'
import { isFunction, type Node, nodeAt, nodesAt, pathOf, walk } from '../script/nodes.ts'
import { type ParseScript, parseScript } from '../script/parse-script.ts'
import { plantThrow } from '../script/plant-throw.ts'
import { plantValue } from '../script/plant-value.ts'
import { toSource } from '../script/read-script.ts'
import type { Names } from '../script/read-title.ts'
import { restate } from '../script/restate.ts'
import { type Edit, insert } from '../test-source.ts'
import { type ProgramPlantRequest, plantInTests } from './program-plants.ts'

type Edits = readonly Edit[] | undefined

const throwError = (marker: string): string =>
  `;(() => { throw new Error(${JSON.stringify(marker)}) })();`

async function plant(
  { file, text, kind, marker }: ProgramPlantRequest,
  parse: ParseScript = parseScript,
): Promise<Edits> {
  const root = await parse(file, text)
  if (root === undefined) return undefined
  const statements = nodesAt(root, 'body')
  if (kind === 'start') return plantFirst(statements, text, marker)
  if (kind === 'restated') return toEdits(restate(root, text, marker, new Set()))
  const inTests = plantInTests(toSource(root, text).tests, text, kind, marker)
  if (inTests !== undefined && inTests.length > 0) return inTests
  const names = collectNames(root)
  const last = statements.findLast(({ type }) => !isHoisted.test(type))
  if (last === undefined) return undefined
  const main = findMain(root, last, names)
  if (kind === 'value') return plantExpected(root, main, names, text, marker)
  if (main !== undefined) return plantInFunction(main, marker)
  const at = endsProgram(last) ? last.start : last.end
  return [insert(at, ` ${throwError(marker)} `)]
}

const toEdits = (edits: readonly Edit[] | string): Edits =>
  typeof edits === 'string' ? undefined : edits

const isHoisted = /^(?:Import|Export(?:All|Named)|FunctionDeclaration|EmptyStatement|TS)/

function plantFirst(statements: readonly Node[], text: string, marker: string): Edits {
  const first = statements.find(
    (one) => !one.type.startsWith('Import') && one['directive'] === undefined,
  )
  return [insert(first?.start ?? text.length, `${throwError(marker)} `)]
}

const exits = new Set(['process.exit', 'process.reallyExit', 'process.abort', 'Deno.exit', 'exit'])

/** Whether something in it exits the program. */
function endsProgram(statement: Node): boolean {
  let ends = false
  walk(statement, (node) => {
    const callee = node.type === 'CallExpression' ? nodeAt(node, 'callee') : undefined
    ends ||= callee !== undefined && exits.has(pathOf(callee).join('.'))
  })
  return ends
}

/** The function of the file that the statement calls: `main().catch(…)`, `(async () => { … })()`. */
function findMain(root: Node, statement: Node, names: Names): Node | undefined {
  let main: Node | undefined
  walk(statement, (node) => {
    const callee = node.type === 'CallExpression' ? nodeAt(node, 'callee') : undefined
    const path = callee === undefined ? [] : pathOf(callee)
    const [name = ''] = path
    const called = path.length === 1 && isCalledOnce(root, name) ? names.get(name) : undefined
    if (callee !== undefined) main ??= isFunction(called) ? called : functionIn(callee)
    return !isFunction(node)
  })
  return main
}

/** Otherwise it is a helper. */
function isCalledOnce(root: Node, name: string): boolean {
  let calls = 0
  walk(root, (node) => {
    const callee = node.type === 'CallExpression' ? nodeAt(node, 'callee') : undefined
    if (callee?.type === 'Identifier' && callee['name'] === name) calls += 1
  })
  return calls === 1
}

function functionIn(callee: Node): Node | undefined {
  const inner = callee.type === 'ParenthesizedExpression' ? nodeAt(callee, 'expression') : callee
  return isFunction(inner) ? inner : undefined
}

function plantInFunction(run: Node, marker: string): Edits {
  const body = nodeAt(run, 'body')
  const last = body === undefined ? undefined : nodesAt(body, 'body').at(-1)
  const kind = last !== undefined && endsProgram(last) ? 'before' : 'after'
  return toEdits(plantThrow(run, kind, marker, new Set()))
}

/** Only where control certainly passes: outside of other functions and of conditions. */
function plantExpected(
  root: Node,
  main: Node | undefined,
  names: Names,
  text: string,
  marker: string,
): Edits {
  const skip = new Set<Node>()
  walk(root, (node) => {
    const callee = node.type === 'CallExpression' ? nodeAt(node, 'callee') : undefined
    const isPrinting = callee !== undefined && pathOf(callee)[0] === 'console'
    if ((isFunction(node) && node !== main) || isPrinting || node.type === 'CatchClause')
      skip.add(node)
    for (const branch of ['consequent', 'alternate'])
      for (const one of [nodeAt(node, branch), ...nodesAt(node, branch)])
        if (one !== undefined) skip.add(one)
  })
  const found = findExpectation(root, names, skip)
  return found === undefined || found.helper === true ? undefined : plantValue(found, text, marker)
}

export const plantInScript: {
  readonly plant: typeof plant
  readonly parses: (file: string, text: string) => Promise<boolean>
} = {
  plant,
  parses: async (file, text) => (await parseScript(file, text)) !== undefined,
}
