/** Which of the changed files are the work, judging by what the checks read and test. */

import { defined } from '../../loop/index.ts'
import { compareTestFiles } from '../planting/index.ts'
import {
  type ClassifiedChange,
  type CompareTexts,
  classifyChanges,
  type Scope,
  scopeOf,
} from '../scope/index.ts'
import { listFolders } from '../scope/root.ts'
import { findCommandFiles } from '../seals/command-files.ts'
import type { CertificationContext } from './certification.ts'
import { findMentions } from './mentions.ts'
import type { Observations } from './observations.ts'
import { findTestFiles } from './test-files.ts'

export interface ClassifiedWork {
  readonly observations: Pick<
    Observations,
    'changes' | 'isProduct' | 'isWork' | 'isTest' | 'isFolder' | 'remains' | 'mentions'
  >
  /** Changed paths that are the work, including approved dependencies and free keys. */
  readonly work: readonly string[]
  /** Changed paths that are not the work: new tests, and everything that needs an approval. */
  readonly aside: readonly string[]
  /** Documentation, and paths outside the scope that no check opened; checks may still see their names and sizes. */
  readonly unopened: readonly string[]
}

export async function classify(
  certifying: CertificationContext,
  { own, bases }: Pick<Observations, 'own' | 'bases'>,
): Promise<ClassifiedWork> {
  const { parts, base, tree } = certifying
  const { reader, seals } = parts
  const scope = await findScope(certifying)
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
    commands: commands.map(({ check }) => check.command),
    onlyAddsTests,
  })
  const work = pathsOf(changes, ['work', 'free-keys', 'dependencies'])
  const isChanged = new Set(work)
  const files = await reader.list(tree)
  const folders = listFolders([...files.keys(), ...(await reader.list(base)).keys()])
  const isTest = (path: string): boolean => testsOfBase.has(path) || testsOfTree.has(path)
  const programs = new Set(commands.flatMap(({ check }) => findCommandFiles(check.command)))
  const judges = (path: string): boolean =>
    isTest(path) || (programs.has(path) && !scope.isWork(path))
  const tests = await findTestFiles(reader, tree, scope, judges)
  return {
    observations: {
      changes,
      isProduct: (path) => scope.isWork(path) && !isTest(path),
      isWork: (path) => isChanged.has(path),
      isTest: (path) => tests.has(path),
      isFolder: (path) => folders.has(`${path}/`),
      remains: (path) => files.has(path),
      mentions: await findMentions(reader, base, tree, pathsOf(changes, ['work']), tests),
    },
    work,
    aside: pathsOf(changes, ['new-test', 'other', 'sealed']),
    unopened: pathsOf(changes, ['not-read', 'documents']).filter((path) => !scope.isWork(path)),
  }
}

export const onlyAddsTests: CompareTexts = async (path, before, after) =>
  (await compareTestFiles(path, before, after))?.onlyAdds === true

/** Derived once per base. */
export function findScope({ parts, memory, base }: CertificationContext): Promise<Scope> {
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

/** Undefined: unknown for at least one of them. */
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
