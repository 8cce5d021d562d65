/**
 * Compares the tests of one check by id: on the base, with only the work on top of the base, and on the candidate.
 * Pure.
 *
 * Red to green requires the same test on both sides: it failed on the base and passes with the work alone, where
 * every test file is that of the base.
 */

import type { Observation, ObservedTest } from '../observe/observation.ts'
import type { BaseResult } from './base-answers.ts'

export interface ComparedTests {
  readonly redToGreen: readonly ObservedTest[]
  readonly keptGreen: readonly ObservedTest[]
  /** On the candidate only. */
  readonly added: readonly ObservedTest[]
  /** CheckRun on the base, but not with the work alone or on the candidate. */
  readonly missing: readonly ObservedTest[]
  /** CheckRun on the base, but is skipped with the work alone or on the candidate. */
  readonly skipped: readonly ObservedTest[]
  /** Fail although the check passes, and did not fail on the base. */
  readonly failing: readonly ObservedTest[]
}

export interface CompareRequest {
  readonly base: BaseResult
  /** The base with only the work on top; the candidate itself if nothing else was changed. */
  readonly alone: Pick<Observation, 'tests'>
  readonly candidate: Pick<Observation, 'tests'>
  /** Whether the base has this test. */
  readonly isOnBase: (test: ObservedTest) => boolean
  /** Files whose ids differ from run to run, found by repeating the base: each counts as one test. */
  readonly unstable?: ReadonlySet<string>
}

/** The title that runners use for a file that could not be loaded. */
const fileTitle = '(file)'

/** Undefined: no runner reported on either side, so the check is only a command. */
export function compareTests(request: CompareRequest): ComparedTests | undefined {
  const { base, unstable = new Set() } = request
  const stable = (tests: readonly ObservedTest[] = []): ReadonlyMap<string, ObservedTest> =>
    new Map(mergeByFile(tests.filter(isTest), unstable).map((test) => [test.id, test]))
  const before = stable(base.tests)
  const alone = stable(request.alone.tests)
  const after = stable(request.candidate.tests)
  if (base.tests === undefined && alone.size === 0 && after.size === 0) return undefined
  const ranBefore = [...before.values()].filter(({ status }) => status !== 'skipped')
  const statusOf = (id: string): readonly (string | undefined)[] => [
    alone.get(id)?.status,
    after.get(id)?.status,
  ]
  const isRed = findRedOnBase(base, before, request.isOnBase)
  return {
    redToGreen: [...alone.values()].filter((one) => one.status === 'passed' && isRed(one)),
    keptGreen: ranBefore.filter(
      ({ id, status }) => status === 'passed' && after.get(id)?.status === 'passed',
    ),
    added: [...after.values()].filter((one) => !before.has(one.id) && !isRed(one)),
    missing: ranBefore.filter(({ id }) => statusOf(id).includes(undefined)),
    skipped: ranBefore.filter(({ id }) => statusOf(id).includes('skipped')),
    failing: [...alone.values(), ...after.values()].filter(
      ({ id, status }, at, all) =>
        status === 'failed' &&
        before.get(id)?.status !== 'failed' &&
        all.findIndex((other) => other.id === id) === at,
    ),
  }
}

const isTest = ({ titles }: ObservedTest): boolean => titles[0] !== fileTitle

/** Failed, or its file did not load: then every test in it is red. */
function findRedOnBase(
  base: BaseResult,
  before: ReadonlyMap<string, ObservedTest>,
  isOnBase: CompareRequest['isOnBase'],
): (test: ObservedTest) => boolean {
  const loaded = new Set([...before.values()].map(({ file }) => file))
  return (test) => {
    const known = before.get(test.id)
    if (known !== undefined) return known.status === 'failed'
    return base.status === 'not-met' && !loaded.has(test.file) && isOnBase(test)
  }
}

/** One test for each of these files: failed if one of its tests failed. */
function mergeByFile(
  tests: readonly ObservedTest[],
  files: ReadonlySet<string>,
): readonly ObservedTest[] {
  const merged = new Map<string, ObservedTest>()
  for (const { file, status } of tests) {
    if (!files.has(file)) continue
    const before = merged.get(file)?.status
    const worse = before === 'failed' || (before === 'passed' && status === 'skipped')
    if (!worse) merged.set(file, { id: file, file, titles: [], status })
  }
  return [...tests.filter(({ file }) => !files.has(file)), ...merged.values()]
}

/** Files whose tests or results differ between two runs of the same tree. */
export function unstableFiles(
  one: readonly ObservedTest[] = [],
  other: readonly ObservedTest[] = [],
): ReadonlySet<string> {
  const known = (tests: readonly ObservedTest[]): ReadonlySet<string> =>
    new Set(tests.map(({ id, status }) => `${status} ${id}`))
  const [a, b] = [known(one), known(other)]
  const differs = (set: ReadonlySet<string>, { id, status }: ObservedTest): boolean =>
    !set.has(`${status} ${id}`)
  return new Set(
    [...one.filter((test) => differs(b, test)), ...other.filter((test) => differs(a, test))].map(
      ({ file }) => file,
    ),
  )
}
