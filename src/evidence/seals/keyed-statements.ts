/** The sealed keys of a TOML or INI file: what differs in them, and the file with the base's put in. */

import type { KeyRule } from './keyed-rules.ts'
import type { KeyedComparison, KeyedDifference } from './keyed-texts.ts'
import { parseStatements, type Statement } from './statements.ts'

type Format = 'toml' | 'ini'
type RuleOf = (statement: Statement) => KeyRule | undefined

/** Undefined: one of the two cannot be read. */
export function compareStatements(
  before: string,
  after: string,
  keys: readonly KeyRule[],
  format: Format,
): KeyedComparison | undefined {
  const base = parseStatements(before, format)
  const tree = parseStatements(after, format)
  if (base === undefined || tree === undefined) return undefined
  const ruleOf = createRuleOf(keys, format)
  const differences = differencesOf(sealedPairs(base, ruleOf), sealedPairs(tree, ruleOf), ruleOf)
  const merged = differences.length === 0 ? after : (merge(base, tree, ruleOf) ?? before)
  return { differences, merged }
}

/** A pair above a sealed key holds it inside itself (`tool = { pytest = … }`), so it is sealed as well. */
function createRuleOf(keys: readonly KeyRule[], format: Format): RuleOf {
  const paths = keys.map((rule) => ({
    rule,
    path: (format === 'ini' ? [rule.key] : rule.key.split('.')).filter((part) => part !== '*'),
  }))
  return ({ type, path }) =>
    paths.find(({ path: sealed }) => {
      if (type === 'blank') return false
      const shared = Math.min(sealed.length, path.length)
      if (type === 'header' && path.length < sealed.length) return false
      return sealed.slice(0, shared).every((part, index) => part === path[index])
    })?.rule
}

const sealedPairs = (all: readonly Statement[], ruleOf: RuleOf): ReadonlyMap<string, Statement> =>
  new Map(
    all
      .filter((statement) => statement.type === 'pair' && ruleOf(statement) !== undefined)
      .map((statement) => [statement.id, statement]),
  )

function differencesOf(
  base: ReadonlyMap<string, Statement>,
  tree: ReadonlyMap<string, Statement>,
  ruleOf: RuleOf,
): readonly KeyedDifference[] {
  return [...new Set([...base.keys(), ...tree.keys()])].flatMap((id) => {
    const was = base.get(id)
    const is = tree.get(id)
    const either = was ?? is
    const rule = either === undefined ? undefined : ruleOf(either)
    if (either === undefined || rule === undefined || was?.value === is?.value) return []
    return [
      {
        key: either.path.join('.'),
        kind: rule.kind,
        ...(was === undefined ? {} : { before: was.value }),
        ...(is === undefined ? {} : { after: is.value }),
      },
    ]
  })
}

/** Undefined: it cannot be put together without a table that stands there twice. */
function merge(
  base: readonly Statement[],
  tree: readonly Statement[],
  ruleOf: RuleOf,
): string | undefined {
  const kept = tree.filter((statement) => ruleOf(statement) === undefined)
  const put = new Map<string, Statement[]>()
  for (const statement of base) {
    if (statement.type !== 'pair' || ruleOf(statement) === undefined) continue
    put.set(statement.table, [...(put.get(statement.table) ?? []), statement])
  }
  const headers = new Map(
    base.filter(({ type }) => type === 'header').map((header) => [header.table, header]),
  )
  const textOf = (table: string): string =>
    (put.get(table) ?? []).map(({ text }) => endedLine(text)).join('')
  const placed = new Set([''])
  let text = textOf('')
  for (const statement of kept) {
    text += endedLine(statement.text)
    if (statement.type !== 'header' || !put.has(statement.table)) continue
    if (statement.repeated) return undefined
    text += textOf(statement.table)
    placed.add(statement.table)
  }
  for (const table of put.keys()) {
    if (!placed.has(table)) text += `\n${endedLine(headers.get(table)?.text ?? '')}${textOf(table)}`
  }
  return text
}

const endedLine = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : `${text}\n`
