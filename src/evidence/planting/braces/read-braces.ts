/** Reads the tests of a Go or Rust file. Rust also has them in product files: `regions` contains their modules. */

import { readLines, type Scan, scan } from '../plain/scan.ts'
import type { Item, ReadSource, Region, SourceTest, TestSource } from '../test-source.ts'
import { showTitle } from '../titles.ts'
import { findGoTests, findRustTests, type TestFunction } from './functions.ts'
import { plantGo, plantRust } from './plant-throw.ts'
import { plantGoValue, plantRustValue } from './plant-value.ts'
import { restateGo } from './restate-go.ts'
import { restateRust } from './restate-rust.ts'

const readTitles = (test: TestFunction): readonly string[] =>
  [...test.links, test].map((link) => showTitle(link.title))

/** Code between the tests is compared line by line. */
function toItems(scanned: Scan, tests: readonly TestFunction[]): readonly Item[] {
  const code = (from: number, to: number): readonly Item[] => {
    const text = scanned.text.slice(from, to).trim()
    const lines = readLines(scanned, from, to).map((line) =>
      scanned.text.slice(line.start, line.end),
    )
    const pieces = lines.length === 0 && text === '' ? [] : lines
    return pieces.map((piece) => ({
      kind: /^(?:import|use)\b/.test(piece) ? 'import' : 'code',
      text: piece,
      titles: [],
    }))
  }
  const items: Item[] = []
  let from = 0
  for (const test of tests) {
    if (test.start < from) continue
    const text = scanned.text.slice(test.start, test.end)
    items.push(...code(from, test.start), { kind: 'test', text, titles: readTitles(test) })
    from = test.end
  }
  return [...items, ...code(from, scanned.text.length)]
}

/** `#[cfg(test)] mod tests { … }` */
function findModules({ mask, closing }: Scan): readonly Region[] {
  const found = mask.matchAll(/#\s*\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:pub\s+)?mod\s+\w+\s*\{/g)
  return [...found].map((match) => {
    const open = match.index + match[0].length - 1
    return { titles: [], start: match.index, end: (closing.get(open) ?? open) + 1 }
  })
}

const readBraces =
  (
    language: 'go' | 'rust',
    find: (scanned: Scan) => readonly TestFunction[],
    plantThrow: typeof plantGo,
    plantValue: typeof plantGoValue,
    restate: typeof restateGo,
  ): ReadSource =>
  async (_, text): Promise<TestSource | undefined> => {
    const scanned = scan(text, language)
    if (scanned === undefined) return undefined
    const found = find(scanned)
    const tests = found.map(
      (test): SourceTest => ({
        title: test.title,
        certain: true,
        links: test.links,
        start: test.start,
        end: test.end,
        plant(kind, marker, work) {
          if (kind === 'restated') return restate(scanned, test, marker, work)
          return kind === 'value'
            ? plantValue(scanned, test, marker)
            : plantThrow(scanned, test, kind, marker)
        },
      }),
    )
    const own = found.map((test) => ({
      titles: readTitles(test),
      start: test.start,
      end: test.end,
    }))
    return {
      tests,
      separator: language === 'go' ? '/' : '::',
      regions: [...findModules(scanned), ...own],
      get items() {
        return toItems(scanned, found)
      },
    }
  }

export const readGo: ReadSource = readBraces('go', findGoTests, plantGo, plantGoValue, restateGo)
export const readRust: ReadSource = readBraces(
  'rust',
  findRustTests,
  plantRust,
  plantRustValue,
  restateRust,
)
