/** Finds the sealed keys that differ between two versions of a TOML or INI file. */

import type { KeyRule } from './keyed-rules.ts'
import { parseStatements, type Statement } from './statements.ts'

type Format = 'toml' | 'ini'
type FindRule = (statement: Statement) => KeyRule | undefined

/** Undefined: one of the two cannot be read. */
export function differingStatements(
  before: string,
  after: string,
  keys: readonly KeyRule[],
  format: Format,
): readonly string[] | undefined {
  const base = parseStatements(before, format)
  const tree = parseStatements(after, format)
  if (base === undefined || tree === undefined) return undefined
  const findRule = createFindRule(keys, format)
  const was = sealedPairs(base, findRule)
  const is = sealedPairs(tree, findRule)
  const ids = [...new Set([...was.keys(), ...is.keys()])]
  return ids
    .filter((id) => was.get(id)?.value !== is.get(id)?.value)
    .map((id) => ((was.get(id) ?? is.get(id))?.path ?? []).join('.'))
}

/** A pair above a sealed key contains it (`tool = { pytest = … }`), so it is sealed as well. */
function createFindRule(keys: readonly KeyRule[], format: Format): FindRule {
  const paths = keys.map((rule) => ({
    rule,
    path: (format === 'ini' ? [rule.key] : rule.key.split('.')).filter((part) => part !== '*'),
  }))
  return ({ type, path }) =>
    paths.find(({ path: sealed }) => {
      const shared = Math.min(sealed.length, path.length)
      if (type === 'header' && path.length < sealed.length) return false
      return sealed.slice(0, shared).every((part, index) => part === path[index])
    })?.rule
}

const sealedPairs = (
  all: readonly Statement[],
  findRule: FindRule,
): ReadonlyMap<string, Statement> =>
  new Map(
    all
      .filter((statement) => statement.type === 'pair' && findRule(statement) !== undefined)
      .map((statement) => [statement.id, statement]),
  )
