/** What was observed about the report of a runner, and about the files that a check read and wrote. Pure. */

import type { BaseAnswer } from './base-answers.ts'
import type { Ran } from './run-checks.ts'
import { type Concern, count, list, type Seen } from './seen.ts'

/** The report of a runner that cannot be relied on, where the base's could. */
export function reportConcerns({ own, alone = [], bases }: Seen): readonly Concern[] {
  return own.flatMap(({ check }): readonly Concern[] => {
    const base = bases.get(check.name)
    if (base === undefined) return []
    const runs = [...own, ...alone].filter((ran) => ran.check.name === check.name)
    return [
      ...silent(check.name, base, runs),
      ...unreliable(check.name, base, runs),
      ...replaced(check.name, base, runs),
    ]
  })
}

function silent(check: string, base: BaseAnswer, runs: readonly Ran[]): readonly Concern[] {
  if (base.tests === undefined) return []
  const isSilent = runs.some(
    ({ observation, result }) => observation.tests === undefined && result.status === 'met',
  )
  if (!isSilent) return []
  return [
    {
      code: 'no-report',
      message: `The check ${check} passes, but its test runner no longer reports any test. On the base it reported ${count(base.tests.length, 'test')}.`,
      check,
      mayBeApproved: true,
    },
  ]
}

function unreliable(check: string, base: BaseAnswer, runs: readonly Ran[]): readonly Concern[] {
  const known = new Set<string>(base.problems)
  const problems = runs
    .flatMap(({ observation }) => observation.problems)
    .filter(({ code }) => !known.has(code))
  if (problems.length === 0) return []
  const texts = [...new Set(problems.map(({ text }) => text))]
  return [
    {
      code: 'report-unreliable',
      message: `The check ${check}: the report of its test runner is not reliable; on the base it was:\n${list(texts)}`,
      check,
      mayBeApproved: true,
    },
  ]
}

function replaced(check: string, base: BaseAnswer, runs: readonly Ran[]): readonly Concern[] {
  const known = new Set(base.replaced)
  const names = runs
    .flatMap(({ observation }) => observation.replaced)
    .filter((name) => !known.has(name))
  if (names.length === 0) return []
  return [
    {
      code: 'functions-replaced',
      message: `The check ${check}: functions that tests rely on were replaced while the tests ran; on the base they were not:\n${list([...new Set(names)])}`,
      check,
      mayBeApproved: true,
    },
  ]
}

/** Files that a check wrote or no longer reads. */
export function accessConcerns(seen: Seen): readonly Concern[] {
  const { own, alone = [], bases } = seen
  return own.flatMap(({ check }): readonly Concern[] => {
    const base = bases.get(check.name)
    if (base === undefined) return []
    const runs = [...own, ...alone].filter((ran) => ran.check.name === check.name)
    return [...writing(check, base, runs, seen), ...notRead(check.name, base, runs, seen)]
  })
}

function writing(
  check: Ran['check'],
  base: BaseAnswer,
  runs: readonly Ran[],
  { isFolder = () => true }: Seen,
): readonly Concern[] {
  const known = [...(base.written ?? []).map((path) => madeBy(path, isFolder)), ...check.outputs]
  const isKnown = (path: string): boolean =>
    known.some((one) => path === one || path.startsWith(`${one}/`) || folderOf(one) === path)
  const fresh = runs
    .flatMap(({ observation }) => observation.written ?? [])
    .filter((path) => !isKnown(path))
  if (fresh.length === 0) return []
  return [
    {
      code: 'tree-changed',
      message: `The check ${check.name} writes files in the tree that it did not write on the base, so it may not test what was committed. Write them elsewhere, name them under outputs, or approve:\n${list([...new Set(fresh)].toSorted())}`,
      check: check.name,
      mayBeApproved: true,
    },
  ]
}

/** The outermost folder on its way that is not in the tree: it is there for what the check makes. */
function madeBy(path: string, isFolder: (path: string) => boolean): string {
  const parts = path.split('/')
  const at = parts.findIndex((_, index) => !isFolder(parts.slice(0, index + 1).join('/')))
  return at < 0 ? path : parts.slice(0, at + 1).join('/')
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Product files that the tests of the base used, and these do not: they may test other files instead. */
function notRead(
  check: string,
  base: BaseAnswer,
  runs: readonly Ran[],
  { isProduct, remains }: Seen,
): readonly Concern[] {
  if (base.read === undefined || isProduct === undefined || base.tests === undefined) return []
  if (runs.some(({ observation }) => observation.read === undefined)) return []
  const reads = runs.map(({ observation }) => new Set(observation.read))
  const gone = base.read.filter(
    (path) => isProduct(path) && remains?.(path) === true && reads.some((read) => !read.has(path)),
  )
  if (gone.length === 0) return []
  return [
    {
      code: 'reads-changed',
      message: `The check ${check} no longer reads files of the product that it read on the base. Its tests may test other files instead:\n${list(gone)}`,
      check,
      mayBeApproved: true,
    },
  ]
}
