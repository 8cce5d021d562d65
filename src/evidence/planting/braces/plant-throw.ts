/** Plants failures before and after the last statement of a Go or Rust test, on the same line. */

import type { Line, Scan } from '../plain/scan.ts'
import { type Edit, insert } from '../test-source.ts'
import { readStatements, type TestFunction } from './functions.ts'

const closures = /\bfunc\s*\([^{}]*\{|\|[^|{}\n]*\|\s*(?:->[^{]*)?\{|\basync\s+(?:move\s+)?\{/g

/** Where the function itself returns, at the start of a statement. */
function findReturns({ mask, closing }: Scan, { open, close }: TestFunction): readonly number[] {
  const body = mask.slice(open + 1, close)
  const inner = [...body.matchAll(closures)].map((found) => {
    const from = open + found.index + found[0].length
    return { from, to: closing.get(from) ?? from }
  })
  return [...body.matchAll(/(?<=[{;}\n]\s{0,200})\breturn\b/g)]
    .map((found) => open + 1 + found.index)
    .filter((at) => !inner.some(({ from, to }) => from < at && at < to))
}

export function plantGo(
  scanned: Scan,
  test: TestFunction,
  kind: 'before' | 'after',
  marker: string,
): readonly Edit[] | string {
  if (test.parameter === '_') return 'its *testing.T has no name'
  // Ending a test with subtests would prevent them from running.
  const inner = scanned.mask.slice(test.open, test.close)
  const stops = inner.includes(`${test.parameter}.Run(`) ? 'Error' : 'Fatal'
  const fails = `${test.parameter}.${stops}(${JSON.stringify(marker)})`
  const last = readStatements(scanned, test).at(-1)
  const returns = findReturns(scanned, test).map((at) => insert(at, `${fails}; `))
  if (last === undefined) return [insert(test.open + 1, ` ${fails} `)]
  if (returns.some((edit) => edit.at === last.start)) return returns
  const main = kind === 'before' ? insert(last.start, `${fails}; `) : insert(last.end, `; ${fails}`)
  return [main, ...returns]
}

export function plantRust(
  scanned: Scan,
  test: TestFunction,
  kind: 'before' | 'after',
  marker: string,
): readonly Edit[] | string {
  if (/\bshould_panic\b/.test(test.attributes)) return 'it is marked as expected to fail'
  // Conditional, because the compiler warns about unreachable code.
  const fails = `if std::convert::identity(true) { panic!(${JSON.stringify(marker.replaceAll(/[{}]/g, '_'))}); }`
  const code = (line: Line): string => scanned.mask.slice(line.start, line.end)
  const isResult = (line: Line): boolean => test.result !== '' && /^Ok\s*\(/.test(code(line))
  const statements = readStatements(scanned, test)
  const last = statements.findLast((line) => !isResult(line))
  const returns = findReturns(scanned, test).map((at) => insert(at, `${fails} `))
  if (last === undefined) return [insert(test.open + 1, ` ${fails} `)]
  if (returns.some((edit) => edit.at === last.start)) return returns
  if (kind === 'before') return [insert(last.start, `${fails} `), ...returns]
  const complete = /[;}]$/.test(code(last))
  const isTail = statements.at(-1) === last
  if (test.result !== '' && isTail && !code(last).endsWith(';'))
    return 'its last expression is its result'
  return [insert(last.end, `${complete ? '' : ';'} ${fails}`), ...returns]
}
