/** Which of the changed files are the work, by what the checks were observed to read and to test. */

import { defined } from '../../loop/index.ts'
import { compareTestFiles } from '../planting/index.ts'
import { type ClassifiedChange, classifyChanges, type Scope, scopeOf } from '../scope/index.ts'
import { foldersOf } from '../scope/root.ts'
import type { Certifying } from './certifier.ts'
import { mentionsIn } from './mentions.ts'
import type { Seen } from './seen.ts'

export interface ClassifiedWork {
  readonly seen: Pick<Seen, 'changes' | 'isProduct' | 'isFolder' | 'remains' | 'mentions'>
  /** Changed paths that are the work, and what belongs to it: approved dependencies, free keys. */
  readonly work: readonly string[]
  /** Changed paths that are not: new tests, and all that is asked about. */
  readonly aside: readonly string[]
  /**
   * Outside the scope, and not opened by any check, whose names and sizes it may know all the same; and documentation.
   */
  readonly unopened: readonly string[]
}

export async function classify(
  certifying: Certifying,
  { own, bases }: Pick<Seen, 'own' | 'bases'>,
): Promise<ClassifiedWork> {
  const { parts, base, tree } = certifying
  const { reader, seals } = parts
  const scope = await scopeIn(certifying)
  const commands = own.filter(({ check }) => check.kind === 'command')
  const testsOfBase = filesOf(commands.map(({ check }) => bases.get(check.name)?.tests))
  const testsOfTree = filesOf(commands.map(({ observation }) => observation.tests))
  const changes = await classifyChanges({
    reader,
    base,
    tree,
    scope,
    seals,
    testsOfBase,
    testsOfTree,
    readOnBase: unionOf(commands.map(({ check }) => bases.get(check.name)?.read)),
    readOnTree: unionOf(commands.map(({ observation }) => observation.read)),
    commands: commands.map(({ check }) => check.describes),
    onlyAddsTests: async (path, before, after) =>
      (await compareTestFiles(path, before, after))?.onlyAdds === true,
    inlineTestsUnchanged: async (path, before, after) => {
      const found = await compareTestFiles(path, before, after)
      return found?.changed.length === 0 && found.removed.length === 0
    },
  })
  const work = pathsOf(changes, ['work', 'free-keys', 'dependencies'])
  const files = await reader.list(tree)
  const folders = foldersOf([...files.keys(), ...(await reader.list(base)).keys()])
  const isTest = (path: string): boolean => testsOfBase.has(path) || testsOfTree.has(path)
  return {
    seen: {
      changes,
      isProduct: (path) => scope.isWork(path) && !isTest(path),
      isFolder: (path) => folders.has(`${path}/`),
      remains: (path) => files.has(path),
      mentions: await mentionsIn(reader, base, tree, pathsOf(changes, ['work'])),
    },
    work,
    aside: pathsOf(changes, ['new-test', 'other', 'sealed']),
    unopened: pathsOf(changes, ['not-read', 'documents']).filter((path) => !scope.isWork(path)),
  }
}

/** Derived once for each base. */
export function scopeIn({ parts, memory, base }: Certifying): Promise<Scope> {
  const { reader, scope } = parts
  if (memory.scope?.base !== base) {
    memory.scope = { base, scope: scopeOf(reader, base, defined({ scope })) }
  }
  return memory.scope.scope
}

const pathsOf = (
  changes: readonly ClassifiedChange[],
  classes: readonly ClassifiedChange['class'][],
): readonly string[] =>
  changes.flatMap(({ path, from, class: kind }) => {
    if (!classes.includes(kind)) return []
    return from === undefined ? [path] : [path, from]
  })

const filesOf = (
  all: readonly (readonly { readonly file: string }[] | undefined)[],
): ReadonlySet<string> =>
  new Set(all.flatMap((tests = []) => tests.map(({ file }) => file)).filter((file) => file !== ''))

/** Undefined: of one of them it is not known. */
function unionOf(
  reads: readonly (readonly string[] | undefined)[],
): ReadonlySet<string> | undefined {
  const union = new Set<string>()
  for (const read of reads) {
    if (read === undefined) return undefined
    for (const path of read) union.add(path)
  }
  return union
}
