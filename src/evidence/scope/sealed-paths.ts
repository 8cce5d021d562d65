/** Paths that the loop file seals or excludes, the loop's own files, and dependencies by name. */

import { plainPath, toFormat } from '../seals/classify.ts'
import { compileGlobs, matchesAny } from '../seals/glob.ts'
import { differingKeys } from '../seals/keyed-texts.ts'
import type { SealRules } from '../seals/sealed-change.ts'
import { type Decision, isPlain, type Trees } from './trees.ts'

export type DecideSeal = (path: string) => Promise<Decision | undefined>

/** Rejects with `bad-loop-file` if a pattern is invalid. */
export function createDecideSeal(trees: Trees): DecideSeal {
  const { seals } = trees
  const loops = new Set((seals.loopFiles ?? []).map(plainPath))
  const named = new Set((seals.names ?? []).map(plainPath))
  const except = compileGlobs(seals.except ?? [], 'seals.except')
  const paths = compileGlobs(seals.paths ?? [], 'seals.paths')
  const keyed = compileKeyedSeals(seals)
  return async (real) => {
    const path = real.replaceAll(/[\r\n\u2028\u2029]/g, '_')
    if (loops.has(path) || trees.byPath(path)?.kind === 'loop') {
      return { class: 'sealed', why: 'a file of the loop itself' }
    }
    if (matchesAny(path, except)) {
      return { class: 'work', why: 'excluded from the seals by the loop file' }
    }
    if (matchesAny(path, paths)) return { class: 'sealed', why: 'sealed by the loop file' }
    if (named.has(path) && !trees.testsOfBase.has(path)) {
      return { class: 'sealed', why: 'named by the command of a check' }
    }
    const rules = keyed.filter(({ globs }) => matchesAny(path, globs))
    return rules.length === 0 ? undefined : sealedKeys(trees, real, rules)
  }
}

interface KeyedSeal {
  readonly globs: readonly RegExp[]
  readonly format: ReturnType<typeof toFormat>
  readonly keys: readonly string[]
}

const compileKeyedSeals = (seals: SealRules): readonly KeyedSeal[] =>
  Object.entries(seals.keys ?? {}).map(([file, keys]) => ({
    globs: compileGlobs([file], 'seals.keys'),
    format: toFormat(file),
    keys,
  }))

async function sealedKeys(
  trees: Trees,
  path: string,
  rules: readonly KeyedSeal[],
): Promise<Decision | undefined> {
  const why = 'the loop file seals keys of this file'
  const isNew = !trees.before.has(path)
  const before = isNew ? undefined : await trees.textOfBase(path)
  const after = await trees.textOfTree(path)
  if (!isPlain(trees.after.get(path)) || after === undefined) return { class: 'sealed', why }
  if (!isNew && before === undefined) return { class: 'sealed', why }
  const found: string[] = []
  for (const { format, keys } of rules) {
    const wanted = keys.map((key) => ({ key, kind: 'configuration' as const }))
    const differing = differingKeys({ format, keys: wanted }, before, after)
    if (differing === undefined) return { class: 'sealed', why: `${why}; it cannot be read by key` }
    found.push(...differing)
  }
  return found.length === 0
    ? undefined
    : { class: 'sealed', why, keys: [...new Set(found)].toSorted() }
}

export const installed: RegExp =
  /(?:^|\/)(?:node_modules|\.venv|venv|site-packages)(?:\/|$)|\.pth$|(?:^|\/)\.pnp\.|^\.yarn\/|^vendor\//

/** Lockfiles, lists of dependencies, and installed packages in the tree. */
export function decideDependencies({ byPath }: Trees, path: string): Decision | undefined {
  const seal = byPath(path)
  if (seal?.kind !== 'dependencies') return undefined
  if (installed.test(path)) {
    return { class: 'dependencies', why: 'an installed package in the tree' }
  }
  // The others shadow modules of runners: they are neither dependencies nor work.
  return seal.fresh === 'acts-on-old'
    ? { class: 'dependencies', why: 'it defines which dependencies are installed' }
    : undefined
}
