/** Determines the scope of a tree: from the loop file, or else from the manifests of the base. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { createClassify } from '../seals/classify.ts'
import { compileGlobs, matchesAny } from '../seals/glob.ts'
import { isData, isForeign, toFileKind } from './file-kinds.ts'
import { findPackages, type NodePackage, nodeRoots, packagesForTests } from './node-roots.ts'
import { anyRoot, isSettings, otherRoots } from './other-roots.ts'
import { findReached } from './reach.ts'
import { type BaseFiles, isIn, openBase, type Root } from './root.ts'
import type { Scope } from './scope.ts'
import { installed } from './sealed-paths.ts'

/** Rejects with `bad-loop-file` if a pattern is invalid. */
export async function scopeOf(
  reader: TreeReader,
  base: TreeId,
  rules: { readonly scope?: readonly string[] } = {},
): Promise<Scope> {
  return rules.scope === undefined || rules.scope.length === 0
    ? deriveScope(await openBase(reader, base))
    : namedScope(rules.scope)
}

/** `!` excludes from what other patterns include, in any order. */
function namedScope(patterns: readonly string[]): Scope {
  const isNot = (pattern: string): boolean => pattern.startsWith('!')
  const named = compileGlobs(
    patterns.filter((pattern) => !isNot(pattern)),
    'scope',
  )
  const except = compileGlobs(
    patterns.filter(isNot).map((pattern) => pattern.slice(1)),
    'scope',
  )
  return {
    lines: patterns.map((pattern) => `${pattern} (scope of the loop file)`),
    from: 'loop-file',
    isWork: (real) => {
      const path = oneLine(real)
      return (named.length === 0 || matchesAny(path, named)) && !matchesAny(path, except)
    },
  }
}

async function deriveScope(base: BaseFiles): Promise<Scope> {
  const byPath = createClassify({}, { has: (path) => base.files.has(path), loaded: new Map() })
  const isSealed = (path: string): boolean => {
    const seal = byPath(path)
    if (seal === undefined) return false
    // A folder named like a Python module (`cmd/`, `types/`) shadows it only if it contains Python.
    const isShadow = seal.kind === 'dependencies' && seal.fresh === 'acts' && !installed.test(path)
    return !isShadow || /\.(?:pyi?|so)$/.test(path)
  }
  const packages = await findPackages(base)
  const { reached, imported } = await findReached(packages, base, isSealed)
  const others = await otherRoots(base)
  const nodeRootLists = await Promise.all(
    packages
      .filter(({ folder, entries }) => entries.size > 0 || !isNextToOther(folder, others))
      .map(async (one) =>
        (await nodeRoots(one, reached, base)).map((root) => ({ ...root, owner: one.folder })),
      ),
  )
  const derived = unique([...nodeRootLists.flat(), ...others])
  const roots = derived.length > 0 ? derived : [anyRoot]
  const kinds = findKinds(roots, base)
  const folders = packages.map(({ folder }) => folder).toSorted((a, b) => b.length - a.length)
  const findPackage = (path: string): string | undefined =>
    folders.find((folder) => path.startsWith(folder))
  return {
    lines: roots.map(describeRoot),
    from: 'manifest',
    project: {
      withEntries: foldersWith(packages, (count) => count > 0),
      withoutEntries: foldersWith(packages, (count) => count === 0),
      reached,
      usedByTests: packagesForTests(packages, imported),
    },
    isWork(path) {
      if (isForeign(path)) return false
      if (reached.has(path)) return true
      const exists = base.files.has(path)
      const isTop =
        !path.includes('/') ||
        base.files.has(`${path.slice(0, path.lastIndexOf('/') + 1)}package.json`)
      if (isSealed(path) || (isSettings(path) && (isTop || !exists))) return false
      const kind = toFileKind(path)
      return roots.some(
        (root) =>
          isIn(root, path) &&
          (root.owner === undefined || root.owner === findPackage(path)) &&
          root.kinds?.has(kind) !== false &&
          (exists || isData(path) || root === anyRoot || kinds.get(root)?.has(kind) === true),
      )
    },
  }
}

const foldersWith = (
  packages: readonly NodePackage[],
  matches: (entries: number) => boolean,
): readonly string[] =>
  packages.filter(({ entries }) => matches(entries.size)).map(({ folder }) => folder)

/** A package.json without an entry next to another manifest is there for tools. */
const isNextToOther = (folder: string, others: readonly Root[]): boolean =>
  others.some((root) => root.folder.startsWith(folder))

function unique(roots: readonly Root[]): readonly Root[] {
  const byPattern = new Map<string, Root>()
  for (const root of roots) {
    const pattern = `${toPattern(root)} ${root.kinds === undefined ? '' : [...root.kinds].join()}`
    if (!byPattern.has(pattern)) byPattern.set(pattern, root)
  }
  return [...byPattern.values()]
}

/** The files in one folder with the relevant kinds. */
function toPattern({ folder, deep, kinds }: Root): string {
  if (deep) return `${folder}**`
  return kinds === undefined ? `${folder}*` : `${folder}*.{${[...kinds].join(',')}}`
}
const describeRoot = (root: Root): string => `${toPattern(root)} (${root.why})`

function findKinds(
  roots: readonly Root[],
  base: BaseFiles,
): ReadonlyMap<Root, ReadonlySet<string>> {
  const kinds = new Map(roots.map((root) => [root, new Set<string>()]))
  for (const path of base.files.keys()) {
    const kind = toFileKind(path)
    for (const [root, known] of kinds) if (!known.has(kind) && isIn(root, path)) known.add(kind)
  }
  return kinds
}

/** A name may contain a line break, but a pattern cannot match it. */
const oneLine = (path: string): string => path.replaceAll(/[\r\n\u2028\u2029]/g, '_')
