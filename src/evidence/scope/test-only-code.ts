/**
 * Finds code of a product file that only tests inside product files use: a constant above them may be what they expect.
 * It judges the work like the tests themselves.
 *
 * Names are compared without a grammar. A name that the product uses anywhere else counts as used by the product.
 */

import { type Family, findLanguageFamily, maskCode } from '../mask-code.ts'
import { inlineTests } from './inline-tests.ts'

const declarations: Partial<Readonly<Record<Family, RegExp>>> = {
  rust: /^(?:pub(?:\([^)\n]{0,100}\))?[ \t]+)?(?:const|static|fn|macro_rules!)[ \t]+(?:mut[ \t]+)?(\w{1,100})/gm,
  script:
    /^(?:export[ \t]+)?(?:async[ \t]+)?(?:const|let|var|function\*?|class)[ \t]+([\w$]{1,100})/gm,
}

interface Declaration {
  readonly name: string
  readonly text: string
  /** Other code of the file than this declaration and the tests. */
  readonly rest: string
}

/** Functions that others can call are the product, whether or not it calls them itself. */
const isPublicFunction = (text: string): boolean =>
  /^(?:pub[ \t]+|export\b)/.test(text) &&
  (/^\S+[ \t]+(?:async[ \t]+)?(?:fn|function|class|macro_rules!)/.test(text) ||
    /=>|\bfunction\b|\bclass\b/.test(text))

/** A file as code without strings and comments: its tests, and everything else. */
interface SplitCode {
  readonly tests: string
  readonly product: string
  /** The same with strings and comments. */
  readonly plain: string
}

/** `others`: product files of the same crate, which may use what this one declares; each with tests inside or not. */
export function findChangedTestCode(
  path: string,
  before: string,
  after: string,
  others: readonly string[],
): string | undefined {
  const family = findLanguageFamily(path)
  if (family === undefined || declarations[family] === undefined) return undefined
  const now = new Map(declarationsIn(path, family, after).map(({ name, text }) => [name, text]))
  const changed = declarationsIn(path, family, before).filter(
    ({ name, text }) => now.get(name) !== text && name !== 'main' && !isPublicFunction(text),
  )
  if (changed.length === 0) return undefined
  const split = [before, ...others].map((text) => splitCode(path, family, text))
  const elsewhere = split.slice(1).map(({ product }) => product)
  return changed.find(({ name, rest }) => {
    const isIn = (text: string): boolean => mentions(text, name)
    return split.some(({ tests }) => isIn(tests)) && ![rest, ...elsewhere].some(isIn)
  })?.name
}

const mentions = (text: string, name: string): boolean =>
  text.includes(name) &&
  new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text)

function splitCode(path: string, family: Family, text: string): SplitCode {
  const masked = maskCode(family, text)
  const blocks = inlineTests(path, text).filter(({ kind }) => kind === 'block')
  const tests = blocks.map(({ start = 0, end = 0 }) => masked.slice(start, end)).join('\n')
  const withoutTests = (code: string): string =>
    blocks.reduce(
      (left, { start = 0, end = 0 }) =>
        `${left.slice(0, start)}${left.slice(start, end).replaceAll(/[^\n]/g, ' ')}${left.slice(end)}`,
      code,
    )
  return { tests, product: withoutTests(masked), plain: withoutTests(text) }
}

function declarationsIn(path: string, family: Family, text: string): readonly Declaration[] {
  const { product, plain } = splitCode(path, family, text)
  return [...product.matchAll(declarations[family] ?? /$^/g)].map(
    ({ index, 0: head, 1: name = '' }) => {
      const from = index + head.length
      // The next statement at the start of a line.
      const next = product.slice(from).search(/\n(?=[A-Za-z_$#@])/)
      const end = next < 0 ? product.length : from + next
      return {
        name,
        text: plain.slice(index, end).trim().replaceAll('\r\n', '\n'),
        rest: `${product.slice(0, index)}${product.slice(end)}`,
      }
    },
  )
}
