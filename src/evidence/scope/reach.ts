/** Finds the files that the entries of the packages lead to, judging by literals in the base. */

import { isSource } from './file-kinds.ts'
import type { NodePackage } from './node-roots.ts'
import { hasIn, indexNames, literalsIn, type NameIndex, referredBy } from './references.ts'
import type { BaseFiles } from './root.ts'

const filesMax = 5000
const indexedMax = 20_000

export interface ReachableFiles {
  readonly reached: ReadonlySet<string>
  /** Packages of the tree that other packages of the tree import. */
  readonly imported: ReadonlySet<string>
}

export async function findReached(
  packages: readonly NodePackage[],
  base: BaseFiles,
  isTest: (path: string) => boolean,
): Promise<ReachableFiles> {
  const entries = packages.flatMap((one) => [...one.entries.keys()])
  const index: NameIndex = indexNames(base.files.size > indexedMax ? [] : base.files.keys())
  const byName = new Map(packages.map((one) => [one.name, one]))
  const reached = new Set(entries)
  const imported = new Set<string>()
  const follow = (path: string, literal: string): readonly string[] => {
    const to = byName.get(toPackageName(literal))
    if (to === undefined) return referredBy(path, literal, index, hasIn(base.files))
    if (!path.startsWith(to.folder)) imported.add(to.name)
    return [...to.entries.keys()]
  }
  let level: readonly string[] = entries
  while (level.length > 0 && reached.size < filesMax) {
    const sources = level.filter(isSource)
    const texts = await Promise.all(sources.map((path) => base.read(path)))
    const found = sources.flatMap((path, at) =>
      literalsIn(path, texts[at] ?? '').flatMap((literal) => follow(path, literal)),
    )
    level = [...new Set(found)].filter(
      (to) => !(reached.has(to) || isTest(to) || base.files.get(to)?.kind === 'link'),
    )
    for (const to of level) reached.add(to)
  }
  return { reached, imported }
}

/** `@scope/name/sub` → `@scope/name`. */
const toPackageName = (literal: string): string =>
  /^(?:@[^/]+\/)?[^/]+/.exec(literal)?.[0] ?? literal
