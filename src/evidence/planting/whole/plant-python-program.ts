/** Plants failures in Python programs. */

import { type Line, readLines, type Scan, scan } from '../plain/scan.ts'
import { type Block, findBlocks, indentOf } from '../python/blocks.ts'
import { plantPython } from '../python/plant-python.ts'
import { readPython } from '../python/read-python.ts'
import { type Edit, insert, type SourceTest } from '../test-source.ts'
import { type ProgramPlantRequest, plantInTests } from './program-plants.ts'

type Edits = readonly Edit[] | undefined

const raiseError = (marker: string): string => `raise AssertionError(${JSON.stringify(marker)})`

export async function plantInPython(request: ProgramPlantRequest): Promise<Edits> {
  const { file, text, kind, marker } = request
  const scanned = scan(text, 'python')
  if (scanned === undefined) return undefined
  const lines = readLines(scanned, 0, text.length)
  if (kind === 'start') return plantFirst(scanned, lines, marker)
  const source = await readPython(file, text)
  if (kind === 'restated') return restateAll(scanned, lines, request, source?.tests ?? [])
  const inTests = source && plantInTests(source.tests, text, kind, marker)
  if (inTests !== undefined && inTests.length > 0) return inTests
  const main = findMain(scanned, lines)
  if (kind === 'value') return plantExpected(scanned, main?.body ?? lines, marker)
  if (main !== undefined) return plantInBlock(scanned, main, marker)
  const last = lastStatement(scanned, lines)
  if (last === undefined) return undefined
  const isEnd = endsProgram.test(codeFrom(scanned, last))
  return isEnd
    ? [insert(last.start, `${raiseError(marker)}\n`)]
    : [insert(text.length, `\n${raiseError(marker)}\n`)]
}

/** `main()` at the end of a program, or a statement that exits. */
const endsProgram =
  /^if\s+__name__\b|\b(?:sys\.exit|os\._exit|exit|quit)\s*\(|\braise\s+SystemExit\b/

const continuesStatement = /^(?:else|elif|except|finally|case)\b/

function lastStatement(scanned: Scan, lines: readonly Line[]): Line | undefined {
  return lines.findLast(
    (line) =>
      indentOf(scanned, line) === 0 &&
      !continuesStatement.test(scanned.mask.slice(line.start, line.end)),
  )
}

/** The last statement, including its block. */
const codeFrom = ({ mask }: Scan, { start }: Line): string => mask.slice(start)

function plantFirst(scanned: Scan, lines: readonly Line[], marker: string): Edits {
  const first = lines.find(({ start, end }) => {
    const code = scanned.mask.slice(start, end)
    return !/^(?:[rRbBuU]?"\s*"|from\s+__future__\b.*)$/.test(code)
  })
  return [insert(first?.start ?? scanned.text.length, `${raiseError(marker)}\n`)]
}

/** The function of the file that the last statement calls. */
function findMain(scanned: Scan, lines: readonly Line[]): Block | undefined {
  const last = lastStatement(scanned, lines)
  if (last === undefined) return undefined
  const code = codeFrom(scanned, last)
  const blocks = findBlocks(scanned, lines, []).filter(
    ({ kind, links }) => kind === 'def' && links.length === 0,
  )
  // A function definition at the end is not a call.
  const called = [...code.matchAll(/(?<!\bdef\s)\b(\w+)\s*\(/g)].map(([, name]) => name)
  return blocks.findLast((block) => {
    const isBefore = (block.lines[0]?.start ?? 0) < last.start
    if (!isBefore || block.body.length === 0 || !called.includes(block.name)) return false
    // A function that is called more than once is a helper.
    return scanned.mask.split(new RegExp(`\\b${block.name}\\s*\\(`)).length === 3
  })
}

function plantInBlock(scanned: Scan, block: Block, marker: string): Edits {
  const indent = indentOf(scanned, block.body[0] ?? { start: 0, end: 0, next: 0 })
  const last = block.body.findLast((line) => indentOf(scanned, line) === indent)
  const end = block.body.at(-1)?.end ?? 0
  const ends = last !== undefined && endsProgram.test(scanned.mask.slice(last.start, end))
  const edits = plantPython(scanned, block, ends ? 'before' : 'after', marker)
  return typeof edits === 'string' ? undefined : edits
}

/** In tests, in the function that the program calls, and in the statements after the imports. */
function restateAll(
  scanned: Scan,
  lines: readonly Line[],
  { marker, work = [] }: ProgramPlantRequest,
  tests: readonly SourceTest[],
): Edits {
  const code = ({ start, end }: Line): string => scanned.mask.slice(start, end)
  const isOwn = (line: Line): boolean => indentOf(scanned, line) === 0
  const last = lines.findLastIndex((line) => isOwn(line) && /^(?:import|from)\b/.test(code(line)))
  const body = lines.slice(last + 1).filter((line) => isOwn(line))
  const main = findMain(scanned, lines)
  const blocks = [toBlock(body), ...(main === undefined ? [] : [main])]
  const all = [
    ...tests.map((test) => test.plant('restated', marker, work)),
    ...blocks.map((block) => plantPython(scanned, block, 'restated', marker, work)),
  ]
  return all.flatMap((edits) => (typeof edits === 'string' ? [] : edits))
}

const toBlock = (body: readonly Line[]): Block => ({
  kind: 'def',
  name: '',
  links: [],
  lines: body,
  decorators: [],
  body,
})

/** Only where control certainly passes: not inside other blocks. */
function plantExpected(scanned: Scan, lines: readonly Line[], marker: string): Edits {
  const [first] = lines
  if (first === undefined) return undefined
  const indent = indentOf(scanned, first)
  const body = lines.filter((line) => indentOf(scanned, line) === indent)
  const edits = plantPython(scanned, toBlock(body), 'value', marker, [])
  return typeof edits === 'string' ? undefined : edits
}
