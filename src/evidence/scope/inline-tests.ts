/**
 * Finds tests inside product files: modules under `#[cfg(test)]`, blocks under `import.meta.vitest`, and examples in
 * documentation that runners treat as tests. They judge the work like any other test.
 */

import { familyOf, maskCode } from '../mask-code.ts'

const markers: Readonly<Record<string, RegExp>> = {
  // `cfg(not(test))`, `cfg!(test)` and `cfg_attr(test, …)` count as well: they make tests see different code.
  rust: /#!?\[\s*(?:cfg|cfg_attr)\s*\([^\]\n]{0,200}\btest\b[^\n]{0,200}|\bcfg!\s*\([^)\n]{0,200}\btest\b|#\[\s*(?:\w+::)*test\b/g,
  script: /\bimport\s*\.\s*meta\s*\.\s*vitest\b/g,
}

/** The text of each region, in order. */
export function inlineTests(path: string, text: string): readonly string[] {
  const family = familyOf(path)
  if (family === 'python') return findPythonExamples(text)
  const marker = family === undefined ? undefined : markers[family]
  if (family === undefined || marker === undefined) return []
  const masked = maskCode(family, text)
  const regions: string[] = []
  let end = 0
  for (const found of masked.matchAll(marker)) {
    if (found.index < end) continue
    end = endOfItem(masked, found.index + found[0].length)
    regions.push(plain(text.slice(found.index, end)))
  }
  return family === 'rust' ? [...regions, ...findRustExamples(text)] : regions
}

/** The default of `ClassifyRequest.inlineTestsUnchanged`. */
export function sameInlineTests(path: string, before: string, after: string): boolean {
  const was = inlineTests(path, before)
  const is = inlineTests(path, after)
  return was.length === is.length && was.every((region, at) => region === is[at])
}

/** Whether a file with reported tests is still a product file, because all its tests are in regions. */
export function isProductWithTests(path: string, text: string): boolean {
  const regions = inlineTests(path, text)
  if (regions.length === 0) return false
  const family = familyOf(path)
  if (family === 'rust') return true
  const rest = regions.reduce((left, region) => left.replace(region, ''), plain(text))
  return family === 'python'
    ? !/^\s*(?:async\s+)?def\s+test|^\s*class\s+Test|\bunittest\b/m.test(rest)
    : !/(?<![.\w$])(?:test|it|describe|suite|bench)\s*(?:\.\w+)*\s*[(`]/.test(
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

/** Code in `///` and `//!` comments, which `cargo test` runs. */
function findRustExamples(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .flatMap((line) => /^\s*\/\/[/!] ?(.*?)\r?$/.exec(line)?.slice(1, 2) ?? [null])
  const examples: string[] = []
  let open: string[] | undefined
  for (const line of lines) {
    if (line !== null && /^\s*(?:```|~~~)/.test(line)) {
      if (open === undefined) open = [line.trim()]
      else {
        examples.push(open.join('\n'))
        open = undefined
      }
    } else if (line !== null) open?.push(line.trimEnd())
  }
  return examples
}

/** Lines that start with `>>>`, and the results below them. */
function findPythonExamples(text: string): readonly string[] {
  const examples: string[] = []
  let open: string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    const isPrompt = /^\s*>>> /.test(line)
    const isEnd = line.trim() === '' || /^\s*(?:"""|''')/.test(line)
    if (open !== undefined && (isEnd || isPrompt)) {
      examples.push(open.join('\n'))
      open = undefined
    }
    if (isPrompt) open = [line.trim()]
    else open?.push(line.trim())
  }
  return open === undefined ? examples : [...examples, open.join('\n')]
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
