/** Finds the test functions of a Go or Rust file by their braces. */

import { type Line, readLines, type Scan } from '../plain/scan.ts'
import type { Link, Title } from '../test-source.ts'

export interface TestFunction {
  readonly title: Title
  readonly links: readonly Link[]
  /** Includes its attributes. */
  readonly start: number
  readonly end: number
  /** The offsets of its braces. */
  readonly open: number
  readonly close: number
  /** The offsets of the braces of the outermost function around its subtests. */
  readonly scope: readonly [open: number, close: number]
  /** Go: the name of its `*testing.T`. */
  readonly parameter: string
  /** Rust: the text before `fn`, and between its parameters and its body. */
  readonly attributes: string
  readonly result: string
}

const goTest = /\bfunc\s+((?:Test|Fuzz)\w*)\s*\(\s*(\w+)\s+\*testing\.[TF]\s*\)\s*\{/g
const goRun = /\b(\w+)\.Run\s*\(/g
const goInner = /^\s*func\s*\(\s*(\w+)\s+\*testing\.[TB]\s*\)\s*\{/

/** The runner replaces blanks in a name by `_`. */
function goTitle(text: string): Title {
  const literal = /^(["`])([^"`\\]*)\1$/.exec(text)
  return [literal?.[2]?.replaceAll(/\s/g, '_') ?? null]
}

function findRuns(scanned: Scan, outer: TestFunction, depth = 0): readonly TestFunction[] {
  const found: TestFunction[] = []
  const body = scanned.mask.slice(0, outer.close)
  const calls = [...body.slice(outer.open).matchAll(goRun)].map((call) => ({
    start: outer.open + call.index,
    bracket: outer.open + call.index + call[0].length - 1,
  }))
  let from = 0
  for (const { start, bracket } of calls) {
    const end = scanned.closing.get(bracket) ?? bracket
    const comma = body.indexOf(',', bracket)
    if (start < from || comma < 0 || comma > end) continue
    const inner = goInner.exec(scanned.mask.slice(comma + 1, comma + 200))
    if (inner === null) continue
    const open = comma + inner[0].length
    const run: TestFunction = {
      ...outer,
      title: goTitle(scanned.text.slice(bracket + 1, comma).trim()),
      links: [...outer.links, { title: outer.title, certain: true }],
      start,
      end: end + 1,
      open,
      close: scanned.closing.get(open) ?? open,
      parameter: inner[1] ?? '_',
    }
    found.push(run, ...(depth < 5 ? findRuns(scanned, run, depth + 1) : []))
    from = end
  }
  return found
}

export function findGoTests(scanned: Scan): readonly TestFunction[] {
  return [...scanned.mask.matchAll(goTest)].flatMap((found) => {
    const open = found.index + found[0].length - 1
    const close = scanned.closing.get(open) ?? open
    const test: TestFunction = {
      title: [found[1] ?? ''],
      links: [],
      start: found.index,
      end: close + 1,
      open,
      close,
      scope: [open, close],
      parameter: found[2] ?? '_',
      attributes: '',
      result: '',
    }
    return [test, ...findRuns(scanned, test)]
  })
}

const rustFunction = /\b(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)\s*(?:<[^>{(]*>)?\s*\(/g
const rustModule = /\bmod\s+(\w+)\s*\{/g
const rustTest = /#\s*\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case|case|quickcheck)\b/

export function findRustTests(scanned: Scan): readonly TestFunction[] {
  const { mask, closing } = scanned
  const modules = [...mask.matchAll(rustModule)].map((found) => {
    const open = found.index + found[0].length - 1
    return { name: found[1] ?? '', open, close: closing.get(open) ?? open }
  })
  return [...mask.matchAll(rustFunction)].flatMap((found) => {
    const near = Math.max(0, found.index - 3000)
    const before = mask.slice(near, found.index)
    const boundary = Math.max(...[';', '{', '}'].map((sign) => before.lastIndexOf(sign)))
    const attributes = before.slice(boundary + 1)
    const end = closing.get(found.index + found[0].length - 1) ?? -1
    const open = mask.indexOf('{', end)
    const close = closing.get(open)
    if (!rustTest.test(attributes) || end < 0 || close === undefined) return []
    const around = modules.filter((one) => one.open < found.index && found.index < one.close)
    const start = near + boundary + 1 + attributes.length - attributes.trimStart().length
    return [
      {
        title: [found[1] ?? ''],
        links: around.map((one) => ({ title: [one.name], certain: true })),
        start,
        end: close + 1,
        open,
        close,
        scope: [open, close],
        parameter: '_',
        attributes,
        result: mask.slice(end + 1, open).trim(),
      },
    ]
  })
}

const endsOpen = /(?:[,.*/&|=<>:(%^]|[^+]\+|[^-]-)$/
const beginsInside = /^(?:[.?)\]}*/&|=<>,]|else\b)/

/** The statements of a body, each from its first line to its last. */
export function readStatements(
  scanned: Scan,
  { open, close }: Pick<TestFunction, 'open' | 'close'>,
): readonly Line[] {
  const statements: Line[] = []
  for (const line of readLines(scanned, open + 1, close)) {
    const last = statements.at(-1)
    const joins =
      last !== undefined &&
      (endsOpen.test(scanned.mask.slice(Math.max(last.start, last.end - 2), last.end)) ||
        beginsInside.test(scanned.mask.slice(line.start, line.start + 5)))
    if (joins) statements.splice(-1, 1, { ...line, start: last.start })
    else statements.push(line)
  }
  return statements
}
