/** Finds the sealed keys that differ between two versions of a JSON file. */

import type { Json } from '../../loop/index.ts'
import { isObject, parseJsonObject, sameJson, valueAt } from './json-text.ts'
import type { KeyRule } from './keyed-rules.ts'

/** Undefined: one of the two does not parse. */
export function differingJsonKeys(
  before: string,
  after: string,
  keys: readonly KeyRule[],
  comments: boolean,
): readonly string[] | undefined {
  const base = parseJsonObject(before, comments)
  const tree = parseJsonObject(after, comments)
  if (base === undefined || tree === undefined) return undefined
  const differing: string[] = []
  for (const rule of keys) {
    for (const path of listPaths(rule, base, tree)) {
      const was = valueAt(base, path)
      const is = valueAt(tree, path)
      if (sameJson(was, is) || isFree(rule, was, is)) continue
      if (rule.onlyIf?.test(JSON.stringify(was ?? '')) === false) continue
      differing.push(path.join('.'))
    }
  }
  return differing
}

function listPaths(rule: KeyRule, base: Json, tree: Json): readonly (readonly string[])[] {
  const parts = rule.key.split('.')
  if (parts.at(-1) !== '*') return [parts]
  const parent = parts.slice(0, -1)
  const known = new Set(keysAt(base, parent))
  const fresh = keysAt(tree, parent).filter(
    (name) => !known.has(name) && (rule.freshActs?.(name, known) ?? true),
  )
  return [...known, ...fresh].map((name) => [...parent, name])
}

function keysAt(value: Json, path: readonly string[]): readonly string[] {
  const at = valueAt(value, path)
  return isObject(at) ? Object.keys(at) : []
}

/** A list that may grow keeps all its entries and gains no negations; one that may shrink gains nothing. */
function isFree(rule: KeyRule, was: Json | undefined, is: Json | undefined): boolean {
  if (rule.free === undefined || !isTexts(was) || !isTexts(is)) return false
  const [fewer, more] = rule.free === 'more' ? [was, is] : [is, was]
  const kept = new Set(more)
  const held = new Set(fewer)
  return (
    fewer.every((text) => kept.has(text)) &&
    more.every((text) => held.has(text) || !text.startsWith('!'))
  )
}

const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string')
