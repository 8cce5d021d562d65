/**
 * Restates what a Rust test expects, without macros of the crate: `assert_eq!(f(1), 3)` becomes a comparison of both
 * sides and a panic of the standard library. If the work implements `PartialEq` itself, values of its types must also
 * print the same. Honest tests still pass.
 *
 * The original assertion stays in a branch that is not taken, so that its names are still used.
 */

import { findOutside, type Line, type Scan, splitArguments } from '../plain/scan.ts'
import type { ChangedFile, Edit } from '../test-source.ts'
import type { TestFunction } from './functions.ts'
import { definesTrait } from './own-comparisons.ts'

interface Part {
  readonly start: number
  readonly end: number
}

interface RestateContext {
  readonly scanned: Scan
  /** A unique name. */
  readonly name: string
  readonly marker: string
  /** What a comparison requires in addition: nothing, or something about the types of the work. */
  readonly types: 'any' | 'printed' | 'foreign'
}

const assertions = /(?<![\w:$])(?:\w+::)*(assert|assert_eq|assert_ne)!\s*[([{]/g

export function restateRust(
  scanned: Scan,
  test: TestFunction,
  marker: string,
  work: readonly ChangedFile[],
): readonly Edit[] | string {
  if (/\bshould_panic\b/.test(test.attributes)) return 'it is marked as expected to fail'
  const isOwn = definesTrait(work, 'PartialEq')
  const all: RestateContext = {
    scanned,
    marker: marker.replaceAll(/["\\\n{}]/g, '_'),
    name: marker.replaceAll(/\W/g, '_').toLowerCase(),
    types: isOwn ? (definesTrait(work, 'Debug') ? 'foreign' : 'printed') : 'any',
  }
  const edits = [test, ...findHelpers(scanned, test)].flatMap((body) => restateBody(all, body))
  return edits.length === 0 ? 'no assertion of the standard library' : edits
}

interface Body {
  /** The offsets of its braces. */
  readonly open: number
  readonly close: number
}

/** Functions that the test calls, in its module or in a file with only tests. */
function findHelpers({ mask, closing }: Scan, test: TestFunction): readonly Body[] {
  const called = (body: Body): ReadonlySet<string> =>
    new Set(
      [...mask.slice(body.open, body.close).matchAll(/\b(\w{1,80})(?:::<[^>]*>)?\(/g)].map(
        (found) => found[1] ?? '',
      ),
    )
  const functions = [...mask.matchAll(/\bfn\s+(\w{1,80})\s*(?:<[^>{(]*>)?\(/g)].flatMap((found) => {
    const open = mask.indexOf('{', closing.get(found.index + found[0].length - 1))
    const close = closing.get(open)
    const [from, to] = findModule(mask, closing, test)
    const isIn = found.index > from && found.index < to
    const isTest = found.index >= test.start && found.index < test.end
    return close === undefined || !isIn || isTest ? [] : [{ name: found[1] ?? '', open, close }]
  })
  const helpers = new Set<Body>()
  // A test that must panic may expect the message of such a function.
  const open: Body[] = /\bshould_panic\b/.test(mask) ? [] : [test]
  for (let body = open.pop(); body !== undefined; body = open.pop()) {
    const names = called(body)
    const found = functions.filter((one) => names.has(one.name) && !helpers.has(one))
    for (const one of found) helpers.add(one)
    open.push(...found)
  }
  return [...helpers]
}

/** The innermost module around a test. */
function findModule(
  mask: string,
  closing: ReadonlyMap<number, number>,
  { start, links }: TestFunction,
): readonly [from: number, to: number] {
  if (links.length === 0) return [-1, mask.length]
  const modules = [...mask.matchAll(/\bmod\s+\w+\s*\{/g)]
    .map((found) => found.index + found[0].length - 1)
    .map((open) => [open, closing.get(open) ?? open] as const)
    .filter(([open, close]) => open < start && start < close)
  return modules.at(-1) ?? [-1, -1]
}

function restateBody(all: RestateContext, { open, close }: Body): readonly Edit[] {
  const { scanned } = all
  const edits: Edit[] = []
  let from = open
  for (const found of scanned.mask.slice(open, close).matchAll(assertions)) {
    const at = open + found.index
    const bracket = at + found[0].length - 1
    const end = scanned.closing.get(bracket)
    if (at < from || end === undefined) continue
    const restated = restateCall(all, found[1] ?? '', splitArguments(scanned, bracket + 1, end))
    if (restated === undefined) continue
    const whole = scanned.text.slice(at, end + 1)
    const std = `#[allow(warnings)] extern crate std as ${all.name};`
    const text = `if { ${std} ${all.name}::convert::identity(false) } { ${whole}; } else { ${std} ${restated} }`
    edits.push({ at, end: end + 1, text })
    from = end
  }
  return edits
}

function restateCall(
  all: RestateContext,
  name: string,
  given: readonly Line[],
): string | undefined {
  const [first, second] = given
  if (first === undefined) return undefined
  if (name === 'assert') return restateCondition(all, first)
  return second && compare(all, first, second, name === 'assert_eq' ? '==' : '!=')
}

/** Splits at `&&` and restates each part. */
function restateCondition(all: RestateContext, condition: Part): string {
  const { scanned } = all
  if (findOutside(scanned, condition, /\|/g) !== undefined) return require(all, condition)
  const and = findOutside(scanned, condition, /&&(?=\s)/g)
  if (and !== undefined) {
    const left = restateCondition(all, { start: condition.start, end: and.at })
    return `${left} ${restateCondition(all, { start: and.at + 2, end: condition.end })}`
  }
  const sign = findOutside(scanned, condition, /(?<![=<>!.])[=!]=(?!=)/g)
  if (sign === undefined) return require(all, condition)
  const left = { start: condition.start, end: sign.at }
  const right = { start: sign.at + 2, end: condition.end }
  return compare(all, left, right, sign.found === '==' ? '==' : '!=')
}

const require = (all: RestateContext, part: Part): string =>
  `if !(${toCode(all, part)}) { ${fail(all)} }`

const fail = ({ name, marker }: RestateContext): string => `${name}::panic!("${marker}");`

function compare(all: RestateContext, left: Part, right: Part, sign: '==' | '!='): string {
  const { name, types } = all
  const [a, b] = [`${name}_a`, `${name}_b`]
  const ok = `*${a} ${sign} *${b}`
  const also = types === 'any' ? '' : ` && ${name}_same(${a}, ${b})`
  const match = `match (&(${toCode(all, left)}), &(${toCode(all, right)})) { (${a}, ${b}) => if !(${ok}${also}) { ${fail(all)} } }`
  return types === 'any' ? match : `{ ${sameFunction(all, sign)} ${match} }`
}

/** Types of the standard library compare as it defines; other types must visibly be the same. */
function sameFunction({ name, types }: RestateContext, sign: '==' | '!='): string {
  const isOwn = `|name: &str| name.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).any(|path| path.contains("::") && !["alloc::", "core::", "std::"].iter().any(|crate_name| path.starts_with(crate_name)))`
  const bound = types === 'printed' ? `${name}::fmt::Debug + ?Sized` : '?Sized'
  const printed = `${name}::format!("{:?}", a) ${sign} ${name}::format!("{:?}", b)`
  const own = types === 'printed' ? printed : 'false'
  const kinds = `let (x, y) = (${name}::any::type_name::<A>(), ${name}::any::type_name::<B>());`
  return `#[allow(warnings)] fn ${name}_same<A: ${bound}, B: ${bound}>(a: &A, b: &B) -> bool { #[allow(warnings)] extern crate std as ${name}; ${kinds} let own = ${isOwn}; if own(x) || own(y) { ${own} } else { true } }`
}

const library = /(?<![\w:$])(?:matches|vec|format)!/g

/** With macros of the standard library itself. */
function toCode({ scanned, name }: RestateContext, part: Part): string {
  const masked = scanned.mask.slice(part.start, part.end)
  const start = part.start + masked.length - masked.trimStart().length
  const end = part.start + masked.trimEnd().length
  let code = ''
  let from = start
  for (const { index } of scanned.mask.slice(start, end).matchAll(library)) {
    code += `${scanned.text.slice(from, start + index)}${name}::`
    from = start + index
  }
  return `${code}${scanned.text.slice(from, end)}`
}
