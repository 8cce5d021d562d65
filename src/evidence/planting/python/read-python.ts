/**
 * Reads the tests of a Python file: functions and methods, by their indentation. A test with parameters has its name
 * plus something in square brackets as its title; a planted failure affects all of them.
 */

import { type Line, readLines, type Scan, scan } from '../plain/scan.ts'
import type {
  ChangedFile,
  Item,
  PlantKind,
  ReadSource,
  Region,
  SourceTest,
} from '../test-source.ts'
import { type Block, findBlocks, indentOf } from './blocks.ts'
import { plantPython } from './plant-python.ts'

const isTest = (block: Block): boolean => block.kind === 'def' && /^test/i.test(block.name)
const startOf = (block: Block): number => block.lines[0]?.start ?? 0
const endOf = (block: Block): number => block.lines.at(-1)?.end ?? 0
const titlesOf = (block: Block): readonly string[] => [
  ...block.links.map((link) => link.title.join('')),
  block.name,
]

/** Functions of the file that it calls, directly or indirectly. */
function findHelpers(scanned: Scan, test: Block, blocks: readonly Block[]): readonly Block[] {
  const found = new Set([test])
  // A test may expect the failure message of such a function.
  if (/\braises\s?\(\s?AssertionError/.test(scanned.mask)) return []
  for (const one of found) {
    const code = scanned.mask.slice(startOf(one), endOf(one))
    const called = new Set([...code.matchAll(/\b(\w{1,80})\s?\(/g)].map((match) => match[1]))
    for (const other of blocks)
      if (other.kind === 'def' && !isTest(other) && called.has(other.name)) found.add(other)
  }
  return [...found].slice(1)
}

function toTests(scanned: Scan, block: Block, blocks: readonly Block[]): readonly SourceTest[] {
  const test = {
    certain: true,
    links: block.links,
    start: startOf(block),
    end: endOf(block),
    plant(kind: PlantKind, marker: string, work: readonly ChangedFile[]) {
      const own = plantPython(scanned, block, kind, marker, work)
      if (kind !== 'restated') return own
      const helpers = findHelpers(scanned, block, blocks)
      const all = [own, ...helpers.map((one) => plantPython(scanned, one, kind, marker, work))]
      const edits = all.flatMap((one) => (typeof one === 'string' ? [] : one))
      return edits.length === 0 ? own : edits
    },
  }
  return [
    { ...test, title: [block.name] },
    { ...test, title: [`${block.name}[`, null, ']'] },
  ]
}

function toItems(
  scanned: Scan,
  lines: readonly Line[],
  blocks: ReadonlyMap<number, Block>,
): readonly Item[] {
  const items: Item[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]
    if (line === undefined) break
    const block = blocks.get(line.start)
    const suite = block?.kind === 'class' && /^Test|Tests?$|TestCase/.test(block.name)
    if (block === undefined || !(suite || isTest(block))) {
      const text = scanned.text.slice(line.start, line.end)
      const kind = /^(?:import|from)\s/.test(text) ? 'import' : 'code'
      // Indentation counts: code that moved into another block is different code.
      items.push({ kind, text: `${indentOf(scanned, line)} ${text}`, titles: [] })
      continue
    }
    index += block.lines.length - 1
    const text = scanned.text.slice(startOf(block), endOf(block))
    const titles = titlesOf(block)
    const header = scanned.text.slice(startOf(block), block.body[0]?.start ?? endOf(block))
    const suiteItem = { header, items: toItems(scanned, block.body, blocks) }
    items.push({ kind: suite ? 'suite' : 'test', text, titles, ...(suite && suiteItem) })
  }
  return items
}

/** `>>> …` up to the next blank line. */
function findDoctests(text: string): readonly Region[] {
  const regions: Region[] = []
  for (const match of text.matchAll(/^[ \t]*>>>[^\n]*(?:\n[ \t]*[^\s][^\n]*)*/gm)) {
    const end = match[0].search(/\n[ \t]*(?:"""|''')/)
    const length = end < 0 ? match[0].length : end
    regions.push({ titles: ['doctest'], start: match.index, end: match.index + length })
  }
  return regions
}

export const readPython: ReadSource = async (_, text) => {
  const scanned = scan(text, 'python')
  if (scanned === undefined) return undefined
  const lines = readLines(scanned, 0, text.length)
  const blocks = findBlocks(scanned, lines, [])
  const tests = blocks.filter(isTest)
  const regions = tests.map((block) => ({
    titles: titlesOf(block),
    start: startOf(block),
    end: endOf(block),
  }))
  return {
    tests: tests.flatMap((block) => toTests(scanned, block, blocks)),
    regions: [...findDoctests(text), ...regions],
    get items() {
      return toItems(scanned, lines, new Map(blocks.map((block) => [startOf(block), block])))
    },
  }
}
