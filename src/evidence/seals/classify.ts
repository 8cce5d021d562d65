/** What a path is to the one who judges: which rule of the tables, or of the loop file, holds for it. */

import { defined } from '../../loop/index.ts'
import { compileGlob, compileGlobs, matchesAny } from './glob.ts'
import { type KeyedRule, keyedRules } from './keyed-rules.ts'
import { type PathRule, pathRules } from './path-rules.ts'
import type { SealKind, SealRules } from './sealed-change.ts'

export interface Seal {
  readonly kind: SealKind
  readonly fresh: PathRule['fresh']
  readonly actsIf?: RegExp
  /** Only these keys of it. */
  readonly keyed?: KeyedRule
  /** What counts as the same place for a test that moves. */
  readonly place: string
}

export type Classify = (path: string) => Seal | undefined

/** What else decides, besides the path itself. */
export interface Surroundings {
  /** Files by their paths, of the base or of the tree. */
  has(path: string): boolean
  /** Found to be loaded by sealed things of the base. */
  readonly loaded: ReadonlyMap<string, SealKind>
}

interface CompiledRule {
  readonly rule: PathRule
  readonly globs: readonly RegExp[]
}

let compiled: readonly CompiledRule[] | undefined
let compiledKeyed:
  | readonly { readonly rule: KeyedRule; readonly globs: readonly RegExp[] }[]
  | undefined

/** Rejects with `bad-loop-file`: a pattern of the loop file cannot be used. */
export function createClassify(rules: SealRules, surroundings: Surroundings): Classify {
  compiled ??= pathRules.map((rule) => ({
    rule,
    globs: rule.paths.map((path) => compileGlob(path, rule)),
  }))
  compiledKeyed ??= keyedRules.map((rule) => ({
    rule,
    globs: rule.files.map((file) => compileGlob(file)),
  }))
  const tables = { paths: compiled, keyed: compiledKeyed }
  const except = compileGlobs(rules.except ?? [], 'seals.except')
  const added = compileGlobs(rules.paths ?? [], 'seals.paths')
  const ownKeys = ownKeyedRules(rules)
  const named = new Set((rules.names ?? []).map(plainPath))
  const loops = new Set((rules.loopFiles ?? []).map(plainPath))
  return (real) => {
    // A line break is a character like any other in a name, but not in a pattern.
    const path = real.replaceAll(/[\r\n\u2028\u2029]/g, '_')
    // What runs the loop itself is not the loop file's to give away.
    if (loops.has(path)) return { kind: 'loop', fresh: 'acts', place: 'loop' }
    if (matchesAny(path, except)) return undefined
    const keyed = tables.keyed.find(({ globs }) => matchesAny(path, globs))?.rule
    const keys = ownKeys.filter(({ globs }) => matchesAny(path, globs)).map(({ rule }) => rule)
    const isNamed = named.has(path) || matchesAny(path, added)
    if (isNamed) return { kind: kindOf(path, tables.paths, 'script'), fresh: 'acts', place: path }
    const both = joinKeyed(keyed, keys)
    if (both !== undefined) {
      const fresh = actsFresh(both, path) ? 'acts-on-old' : 'free'
      return { kind: 'configuration', fresh, keyed: both, place: path }
    }
    const loaded = surroundings.loaded.get(path)
    if (loaded !== undefined) return { kind: loaded, fresh: 'acts', place: path }
    return byTable(path, tables.paths, surroundings)
  }
}

function byTable(
  path: string,
  table: readonly CompiledRule[],
  surroundings: Surroundings,
): Seal | undefined {
  for (const { rule, globs } of table) {
    const index = globs.findIndex((glob) => glob.test(path))
    if (index < 0 || (rule.beside !== undefined && !surroundings.has(rule.beside))) continue
    return {
      kind: rule.kind,
      fresh: rule.fresh,
      place: rule.paths[index] ?? '',
      ...defined({ actsIf: rule.actsIf }),
    }
  }
  return undefined
}

const kindOf = (path: string, table: readonly CompiledRule[], otherwise: SealKind): SealKind =>
  table.find(({ globs }) => matchesAny(path, globs))?.rule.kind ?? otherwise

function actsFresh({ freshFiles }: KeyedRule, path: string): boolean {
  return freshFiles === undefined || freshFiles.some((file) => compileGlob(file).test(path))
}

/** Keys that the loop file seals: in formats that are not read by key, the file as a whole. */
function ownKeyedRules(
  rules: SealRules,
): readonly { readonly globs: readonly RegExp[]; readonly rule: KeyedRule }[] {
  return Object.entries(rules.keys ?? {}).map(([file, keys]) => ({
    globs: compileGlobs([file], 'seals.keys'),
    rule: {
      files: [file],
      format: formatOf(file),
      keys: keys.map((key) => ({ key, kind: 'configuration' as const })),
    },
  }))
}

export function formatOf(file: string): KeyedRule['format'] {
  if (file.endsWith('.toml')) return 'toml'
  return /\.(?:ini|cfg)$/.test(file) ? 'ini' : 'jsonc'
}

function joinKeyed(rule: KeyedRule | undefined, own: readonly KeyedRule[]): KeyedRule | undefined {
  const [first] = rule === undefined ? own : [rule]
  if (first === undefined) return undefined
  return { ...first, keys: [...own.flatMap(({ keys }) => keys), ...(rule?.keys ?? [])] }
}

export const plainPath = (path: string): string => path.replace(/^(?:\.\/+)+/, '')
