/** Classifies a path for the judge: which rule of the tables, or of the loop file, applies to it. */

import { defined } from '../../loop/index.ts'
import { compileGlob, compileGlobs, matchesAny } from './glob.ts'
import { type KeyedRule, keyedRules } from './keyed-rules.ts'
import { type PathRule, pathRules } from './path-rules.ts'
import type { SealKind, SealRules } from './sealed-change.ts'

export interface Seal {
  readonly kind: SealKind
  readonly fresh: PathRule['fresh']
  readonly actsIf?: RegExp
  /** Only these keys of the file. */
  readonly keyed?: KeyedRule
  /** Two paths with the same value count as the same location for a test that moves. */
  readonly place: string
}

export type Classify = (path: string) => Seal | undefined

/** Information besides the path itself. */
export interface Surroundings {
  /** Files of the base or of the tree. */
  has(path: string): boolean
  /** Files that sealed files of the base load. */
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

/** Rejects with `bad-loop-file` if a pattern of the loop file is invalid. */
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
    // A name may contain a line break, but a pattern cannot match it.
    const path = real.replaceAll(/[\r\n\u2028\u2029]/g, '_')
    // The loop file cannot exclude the files of the loop itself.
    if (loops.has(path)) return { kind: 'loop', fresh: 'acts', place: 'loop' }
    if (matchesAny(path, except)) return undefined
    const keyed = tables.keyed.find(({ globs }) => matchesAny(path, globs))?.rule
    const keys = ownKeys.filter(({ globs }) => matchesAny(path, globs)).map(({ rule }) => rule)
    const isNamed = named.has(path) || matchesAny(path, added)
    if (isNamed) return { kind: findKind(path, tables.paths, 'script'), fresh: 'acts', place: path }
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

const findKind = (path: string, table: readonly CompiledRule[], otherwise: SealKind): SealKind =>
  table.find(({ globs }) => matchesAny(path, globs))?.rule.kind ?? otherwise

function actsFresh({ freshFiles }: KeyedRule, path: string): boolean {
  return freshFiles === undefined || freshFiles.some((file) => compileGlob(file).test(path))
}

/** Keys that the loop file seals; in formats that cannot be read by key, the whole file. */
function ownKeyedRules(
  rules: SealRules,
): readonly { readonly globs: readonly RegExp[]; readonly rule: KeyedRule }[] {
  return Object.entries(rules.keys ?? {}).map(([file, keys]) => ({
    globs: compileGlobs([file], 'seals.keys'),
    rule: {
      files: [file],
      format: toFormat(file),
      keys: keys.map((key) => ({ key, kind: 'configuration' as const })),
    },
  }))
}

export function toFormat(file: string): KeyedRule['format'] {
  if (file.endsWith('.toml')) return 'toml'
  return /\.(?:ini|cfg)$/.test(file) ? 'ini' : 'jsonc'
}

function joinKeyed(rule: KeyedRule | undefined, own: readonly KeyedRule[]): KeyedRule | undefined {
  const [first] = rule === undefined ? own : [rule]
  if (first === undefined) return undefined
  return { ...first, keys: [...own.flatMap(({ keys }) => keys), ...(rule?.keys ?? [])] }
}

export const plainPath = (path: string): string => path.replace(/^(?:\.\/+)+/, '')
