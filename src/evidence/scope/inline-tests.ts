/**
 * Finds tests inside product files: modules under `#[cfg(test)]`, blocks under `import.meta.vitest`, and examples in
 * documentation that runners treat as tests. They judge the work like any other test.
 *
 * 1. What a region does not cover is product code, so a region covers everything that only tests see, not only the test
 *    functions: an expected value may be a constant beside them.
 * 2. Code that looks at whether it is tested, and is not a test itself, is a `switch`. The work cannot add any.
 */

import { findLanguageFamily, maskCode } from '../mask-code.ts'
import { findPythonExamples, findRustExamples } from './doc-examples.ts'
import type { CompareTexts } from './scope.ts'

export interface InlineTest {
  /** `block`: tests as code. `example`: in documentation. `switch`: other code that tests see differently. */
  readonly kind: 'block' | 'example' | 'switch'
  readonly text: string
  /** Offsets in the file. Absent for examples, which may be spread over comments. */
  readonly start?: number
  readonly end?: number
  /** For a block that can contain several tests: what is between its braces. */
  readonly body?: string
}

// `cfg(not(test))`, `cfg!(test)` and `cfg_attr(test, …)` count as well: they make tests see different code.
const rustMarkers =
  /#!?\[\s*cfg(?:_attr)?\s*\([^\]]{0,200}\btest\b[^\]]{0,200}\]?|\bcfg!\s*\([^)]{0,200}\btest\b|#\[\s*(?:\w+::)*test\b/g
const rustModule =
  /^#\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:#\[[^\]]{0,200}\]\s*){0,9}(?:pub(?:\([^)]{0,100}\))?\s+)?mod\s+\w+\s*[{;]/
const rustTest = /^#\[\s*(?:\w+::)*test\b/
const rustMacros = /\bmacro_rules!\s*(\w{1,100})\s*[{([]/g
const scriptBlock = /\bif\s*\(\s*import\s*\.\s*meta\s*\.\s*vitest\b[^(){};]{0,100}\)\s*\{/g
const scriptMarkers = /\bimport\s*\.\s*meta\s*\.\s*vitest\b/g

/** In order, examples last. */
export function inlineTests(path: string, text: string): readonly InlineTest[] {
  const family = findLanguageFamily(path)
  if (family === 'python') return toExamples(findPythonExamples(text))
  if (family === 'script') return findScriptRegions(text)
  if (family !== 'rust') return []
  return [...findRustRegions(text), ...toExamples(findRustExamples(text))]
}

const toExamples = (texts: readonly string[]): readonly InlineTest[] =>
  texts.map((text) => ({ kind: 'example', text: plain(text) }))

function findRustRegions(text: string): readonly InlineTest[] {
  const masked = maskCode('rust', text)
  const found = [...masked.matchAll(rustMarkers), ...macroCalls(masked)]
  const regions: InlineTest[] = []
  let from = 0
  for (const { index, 0: marker } of found.toSorted((a, b) => a.index - b.index)) {
    if (index < from) continue
    // An inner attribute is about all of the file.
    const end = marker.startsWith('#!') ? masked.length : endOfItem(masked, index + marker.length)
    const whole = masked.slice(index, end)
    const isModule = rustModule.test(whole)
    const kind = isModule || rustTest.test(whole) ? 'block' : 'switch'
    const open = isModule ? whole.indexOf('{') : -1
    regions.push(toRegion(kind, text, index, end, open < 0 ? undefined : index + open + 1))
    from = end
  }
  return regions
}

/** Calls of macros that write tests: their arguments are expectations. */
function macroCalls(masked: string): readonly RegExpExecArray[] {
  const names = [...masked.matchAll(rustMacros)].flatMap(({ index, 0: head, 1: name = '' }) => {
    const body = masked.slice(index, endOfItem(masked, index + head.length - 1))
    return /#\[\s*(?:\w+::)*test\b/.test(body) ? [name] : []
  })
  if (names.length === 0) return []
  return [...masked.matchAll(new RegExp(`\\b(?:${names.join('|')})!(?!\\s*\\w)`, 'g'))]
}

function findScriptRegions(text: string): readonly InlineTest[] {
  const masked = maskCode('script', text)
  const regions: InlineTest[] = []
  let from = 0
  for (const { index, 0: head } of masked.matchAll(scriptBlock)) {
    if (index < from) continue
    const open = index + head.length
    from = endOfItem(masked, open - 1)
    regions.push(toRegion('block', text, index, from, open))
  }
  const isInside = (at: number): boolean =>
    regions.some(({ start = 0, end = 0 }) => at >= start && at < end)
  const others = [...masked.matchAll(scriptMarkers)].filter(({ index }) => !isInside(index))
  return [
    ...regions,
    ...others.map(({ index, 0: marker }) =>
      toRegion('switch', text, index, endOfItem(masked, index + marker.length)),
    ),
  ]
}

const toRegion = (
  kind: InlineTest['kind'],
  text: string,
  start: number,
  end: number,
  bodyAt?: number,
): InlineTest => ({
  kind,
  text: plain(text.slice(start, end)),
  start,
  end,
  ...(bodyAt === undefined ? {} : { body: plain(text.slice(bodyAt, end - 1)) }),
})

/**
 * Whether every inline test of the base is still there and unchanged. Others may be added: `onlyAdds` compares the content of
 * blocks.
 */
export async function keepsInlineTests(
  path: string,
  before: readonly InlineTest[],
  after: readonly InlineTest[],
  onlyAdds: CompareTexts,
): Promise<boolean> {
  return (
    keepsExamples(before.filter(isExample), after.filter(isExample)) &&
    (await pairBlocks(path, before, after, onlyAdds)) !== undefined
  )
}

const isExample = ({ kind }: InlineTest): boolean => kind === 'example'

/** An example may become longer at its end: what comes before a line can change its result. */
function keepsExamples(before: readonly InlineTest[], after: readonly InlineTest[]): boolean {
  const left = after.map(({ text }) => text)
  return before.every(({ text }) => {
    const same = left.indexOf(text)
    const at = same < 0 ? left.findIndex((one) => one.startsWith(`${text}\n`)) : same
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}

/** Undefined: one of the base is missing or changed, or something other than tests was added. */
async function pairBlocks(
  path: string,
  before: readonly InlineTest[],
  after: readonly InlineTest[],
  onlyAdds: CompareTexts,
): Promise<ReadonlyMap<InlineTest, InlineTest> | undefined> {
  const pairs = new Map<InlineTest, InlineTest>()
  const remaining = before.filter((one) => !isExample(one))
  for (const is of after.filter((one) => !isExample(one))) {
    const [was] = remaining
    if (was !== undefined && (await isKept(path, was, is, onlyAdds))) {
      pairs.set(is, was)
      remaining.shift()
    } else if (is.kind !== 'block') return undefined
  }
  return remaining.length === 0 ? pairs : undefined
}

async function isKept(
  path: string,
  was: InlineTest,
  is: InlineTest,
  onlyAdds: CompareTexts,
): Promise<boolean> {
  if (was.text === is.text) return true
  if (was.body === undefined || is.body === undefined || headOf(was) !== headOf(is)) return false
  return onlyAdds(path, was.body, is.body)
}

const headOf = ({ text, body = '' }: InlineTest): string =>
  text.slice(0, text.length - body.length - 1).replaceAll(/\s+/g, ' ')

/**
 * The text of the candidate with only the inline tests of the base. Added ones could act on the code around them, which a
 * separate test file cannot do when the work runs alone.
 */
export async function withoutAddedTests(
  path: string,
  before: string,
  after: string,
  onlyAdds: CompareTexts,
): Promise<string> {
  const is = inlineTests(path, after)
  const pairs = await pairBlocks(path, inlineTests(path, before), is, onlyAdds)
  if (pairs === undefined) return after
  return is.reduceRight((text, one) => {
    const was = pairs.get(one)?.text ?? ''
    if (one.start === undefined || one.text === was) return text
    return `${text.slice(0, one.start)}${was}${text.slice(one.end)}`
  }, after)
}

/** Whether a file with reported tests is still a product file, because all its tests are in regions. */
export function isProductWithTests(path: string, text: string): boolean {
  const regions = inlineTests(path, text)
  if (regions.length === 0) return false
  const family = findLanguageFamily(path)
  if (family === 'rust') return true
  if (regions.some(({ kind }) => kind === 'switch')) return false
  if (family === 'python') {
    return !/^\s*(?:async\s+)?def\s+test|^\s*class\s+Test|\bunittest\b/m.test(text)
  }
  const rest = regions.reduceRight(
    (left, { start = 0, end = 0 }) => left.slice(0, start) + left.slice(end),
    text,
  )
  return !/(?<![.\w$])(?:test|it|describe|suite|bench)\s*(?:\.\w+)*\s*[(`]/.test(
    maskCode('script', rest),
  )
}

/** To the brace that closes the first one, or to the end of a statement without braces. */
function endOfItem(masked: string, from: number): number {
  let depth = 0
  for (let at = from; at < masked.length; at += 1) {
    const sign = masked[at]
    if (sign === '{') depth += 1
    else if (sign === '}') {
      depth -= 1
      if (depth <= 0) return at + 1
    } else if (depth === 0 && sign === ';') return at + 1
  }
  return masked.length
}

const plain = (text: string): string => text.replaceAll('\r\n', '\n')

const testModule =
  /#\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:#\[\s*path\s*=\s*"([^"\n]{1,200})"\s*\]\s*)?(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w{1,100})\s*;/g

/** Files that a Rust file declares as test-only modules: `#[cfg(test)] mod tests;`. */
export function testModulePaths(path: string, text: string): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const own = /(?:^|\/)(?:lib|main|mod)\.rs$/.test(path) ? folder : path.replace(/\.rs$/, '/')
  return [...text.matchAll(testModule)].flatMap(({ 1: at, 2: name = '' }) =>
    at === undefined ? [`${own}${name}.rs`, `${own}${name}/mod.rs`] : [`${folder}${at}`],
  )
}
