/** Concerns about the report of a runner, and about the files that a check read and wrote. Pure. */

import type { FileLook } from '../observe/observation.ts'
import type { BaseResult } from './base-answers.ts'
import { type Concern, count, list, type Observations } from './observations.ts'
import type { CheckRun } from './run-checks.ts'

/** Reports that are unreliable although those of the base were reliable. */
export function reportConcerns(observations: Observations): readonly Concern[] {
  const { own, alone = [], bases } = observations
  return own.flatMap(({ check }): readonly Concern[] => {
    const base = bases.get(check.name)
    if (base === undefined) return []
    const runs = [...own, ...alone].filter((ran) => ran.check.name === check.name)
    return [
      ...findSilent(check.name, base, runs),
      ...findUnreliable(check.name, base, runs),
      ...findReplaced(check.name, base, runs),
      ...findLooksAtTests(check.name, base, runs, observations),
    ]
  })
}

function findSilent(
  check: string,
  base: BaseResult,
  runs: readonly CheckRun[],
): readonly Concern[] {
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

function findUnreliable(
  check: string,
  base: BaseResult,
  runs: readonly CheckRun[],
): readonly Concern[] {
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

function findReplaced(
  check: string,
  base: BaseResult,
  runs: readonly CheckRun[],
): readonly Concern[] {
  const known = new Set(base.replaced)
  const names = runs
    .flatMap(({ observation }) => observation.replaced)
    .filter((name) => !known.has(name))
  if (names.length === 0) return []
  return [
    {
      code: 'functions-replaced',
      message: `The check ${check}: functions or modules that tests rely on were replaced, or values could be, while the tests ran; on the base they were not:\n${list([...new Set(names)])}`,
      check,
      mayBeApproved: true,
    },
  ]
}

/** Code of the work that opened tests, or looked for them. */
function findLooksAtTests(
  check: string,
  base: BaseResult,
  runs: readonly CheckRun[],
  { isWork = () => false, isTest = () => false }: Observations,
): readonly Concern[] {
  const isAtTests = ({ at }: FileLook): boolean => at === '*' || isTest(at)
  const known = new Set(base.looked?.filter(isAtTests).map(({ by }) => by))
  const lines = runs
    .flatMap(({ observation }) => observation.looked ?? [])
    .filter((look) => isAtTests(look) && !known.has(look.by))
    .filter(({ by }) => by === '(eval)' || isWork(by))
    .map(({ by, at }) => `${by} looks at ${at === '*' ? 'too many files to list' : at}`)
  if (lines.length === 0) return []
  return [
    {
      code: 'reads-tests',
      message: `The check ${check}: code of the work opens tests or looks for them while they run; on the base it did not. Code that knows its tests passes them without doing the work:\n${list([...new Set(lines)])}`,
      check,
      mayBeApproved: true,
    },
  ]
}

/** Files that a check wrote, or no longer reads. */
export function accessConcerns(observations: Observations): readonly Concern[] {
  const { own, alone = [], bases } = observations
  return own.flatMap(({ check }): readonly Concern[] => {
    const base = bases.get(check.name)
    if (base === undefined) return []
    const runs = [...own, ...alone].filter((ran) => ran.check.name === check.name)
    return [
      ...findNewWrites(check, base, runs, observations),
      ...findNotRead(check.name, base, runs, observations),
    ]
  })
}

function findNewWrites(
  check: CheckRun['check'],
  base: BaseResult,
  runs: readonly CheckRun[],
  { isFolder = () => true }: Observations,
): readonly Concern[] {
  const known = [
    ...(base.written ?? []).map((path) => outputFolder(path, isFolder)),
    ...check.outputs,
  ]
  const isKnown = (path: string): boolean =>
    known.some(
      (other) => path === other || path.startsWith(`${other}/`) || parentFolder(other) === path,
    )
  const newPaths = runs
    .flatMap(({ observation }) => observation.written ?? [])
    .filter((path) => !isKnown(path))
  if (newPaths.length === 0) return []
  return [
    {
      code: 'tree-changed',
      message: `The check ${check.name} writes files in the tree that it did not write on the base, so it may not test what was committed. Write them elsewhere, name them under outputs, or approve:\n${list([...new Set(newPaths)].toSorted())}`,
      check: check.name,
      mayBeApproved: true,
    },
  ]
}

/** The outermost parent that is not in the tree: the check created it for its output. */
function outputFolder(path: string, isFolder: (path: string) => boolean): string {
  const parts = path.split('/')
  const at = parts.findIndex((_, index) => !isFolder(parts.slice(0, index + 1).join('/')))
  return at < 0 ? path : parts.slice(0, at + 1).join('/')
}

const parentFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Product files that the tests of the base read and these do not: they may test other files instead. */
function findNotRead(
  check: string,
  base: BaseResult,
  runs: readonly CheckRun[],
  { isProduct, remains }: Observations,
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
