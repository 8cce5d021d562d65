/**
 * Derives concerns about the work from what was observed. Pure.
 *
 * Some are final: a check that fails in a clean checkout has failed. The others may have honest reasons, so they
 * become one question to a person. Messages say what was observed.
 */

import { failure } from './check-failures.ts'
import type { ComparedTests } from './compare-tests.ts'
import type { ProgramFailure } from './observations.ts'
import {
  type Concern,
  count,
  isAcceptable,
  isOutsideWork,
  list,
  type Observations,
} from './observations.ts'
import { accessConcerns, reportConcerns } from './report-concerns.ts'
import type { CheckRun } from './run-checks.ts'

/** If checks fail, only these: nothing else counts before they pass. */
export function findConcerns(observations: Observations): readonly Concern[] {
  const failed = observations.own
    .filter((ran) => !isAcceptable(ran))
    .map((ran) => failure(ran, observations.evidence))
  if (failed.length > 0) return failed
  if (!observations.own.some(({ result }) => result.status === 'met')) return [nothingMet]
  return [
    ...flaky(observations.own),
    ...judgeAlone(observations),
    ...changed(observations),
    ...withoutWork(observations),
    ...testConcerns(observations),
    ...ableToFail(observations),
    ...commandsAbleToFail(observations),
    ...reportConcerns(observations),
    ...accessConcerns(observations),
    ...mentioned(observations),
  ]
}

const nothingMet: Concern = {
  code: 'no-checks',
  message: 'No check passed. Add one under checks: that can tell whether the work is done.',
  mayBeApproved: false,
}

/** A flaky check needs a stable one next to it. */
function flaky(own: readonly CheckRun[]): readonly Concern[] {
  const met = own.filter(({ result }) => result.status === 'met')
  if (met.some(({ result }) => result.flaky !== true)) return []
  return met.map(({ check, answers }) => ({
    code: 'flaky',
    message: `The check ${check.name} gives different results on the same files (${answers.join(', ')}), so it cannot certify alone. Make it stable, or add a stable check.`,
    check: check.name,
    mayBeApproved: false,
  }))
}

function judgeAlone({ own, alternativeCommand }: Observations): readonly Concern[] {
  const met = own.filter(({ result }) => result.status === 'met')
  if (alternativeCommand === undefined || met.some(({ check }) => check.kind !== 'judge')) return []
  return [
    {
      code: 'judge-alone',
      message: `Only a judge says that the work is done, but a command could check it: ${alternativeCommand}. Add it under checks.`,
      mayBeApproved: false,
    },
  ]
}

function changed({ changes = [], alone, approved }: Observations): readonly Concern[] {
  const aside = changes.filter(
    (change) => isOutsideWork(change) && approved?.has(change.path) !== true,
  )
  if (aside.length === 0) return []
  const listed = aside.map(({ path, what, why }) => `- ${path} (${what}): ${why}`).join('\n')
  const failed = (alone ?? []).filter((ran) => !isAcceptable(ran))
  if (failed.length === 0) {
    return [
      {
        code: 'sealed-changed',
        message: `Files outside the scope of the work were changed. With these files restored, the checks pass too. Restore them, or approve:\n${listed}`,
        mayBeApproved: true,
      },
    ]
  }
  const names = failed.map(({ check }) => check.name).join(', ')
  return [
    {
      code: 'sealed-failed',
      message: `Files outside the scope of the work were changed. With these files restored, checks fail: ${names}. Make the work pass without these changes, or approve:\n${listed}`,
      mayBeApproved: true,
      printed: failed.map(({ result }) => result.output.trim()).join('\n'),
    },
  ]
}

/** Control runs that did not give the expected result. */
function withoutWork({
  changes = [],
  controls = [],
  alone = [],
  compared,
  isProduct,
}: Observations): readonly Concern[] {
  const found: Concern[] = []
  const failed = alone.filter((ran) => !isAcceptable(ran))
  if (failed.length > 0 && !changes.some(isOutsideWork)) {
    const names = failed.map(({ check }) => check.name).join(', ')
    const others = changes.filter(
      ({ path, class: kind }) =>
        ['new-test', 'documents'].includes(kind) ||
        (kind === 'not-read' && isProduct?.(path) !== true),
    )
    const listed = list(others.map(({ path }) => path))
    found.push({
      code: 'sealed-failed',
      message: `With only the work on top of the base, checks fail: ${names}. The work must pass the tests of the base without these other changes:\n${listed}`,
      mayBeApproved: true,
      printed: failed.map(({ result }) => result.output.trim()).join('\n'),
    })
  }
  const other = controls.find(({ name, held }) => name === 'other-environment' && !held)
  if (other !== undefined) {
    const names = other.ran.filter((ran) => !isAcceptable(ran)).map(({ check }) => check.name)
    const what = names.length === 0 ? 'different tests pass' : `checks fail: ${names.join(', ')}`
    found.push({
      code: 'other-environment',
      message: `In another environment (other paths, variables and file times, a comment added to changed files and tests, and the expectations of these tests restated) ${what}. In the usual environment they pass.`,
      mayBeApproved: true,
      printed: other.ran.map(({ result }) => result.output.trim()).join('\n'),
    })
  }
  const reverted = controls.find(({ name, held }) => name === 'work-taken-back' && !held)
  if (reverted !== undefined) {
    const ids = [...(compared?.values() ?? [])].flatMap(({ redToGreen }) => redToGreen)
    const still = ids.filter(({ id }) =>
      reverted.ran.some(({ observation }) =>
        observation.tests?.some((test) => test.id === id && test.status === 'passed'),
      ),
    )
    found.push({
      code: 'work-not-needed',
      message: `With the work reverted, tests that failed on the base still pass, so another change makes them pass:\n${list(still.map(({ id }) => id))}`,
      mayBeApproved: true,
    })
  }
  return found
}

function testConcerns({ compared = new Map(), own }: Observations): readonly Concern[] {
  return [...compared].flatMap(([check, { missing, skipped, failing }]): readonly Concern[] => {
    const isMet = own.find((ran) => ran.check.name === check)?.result.status === 'met'
    const concern = (
      code: string,
      ids: ComparedTests['missing'],
      message: string,
    ): readonly Concern[] =>
      ids.length === 0
        ? []
        : [
            {
              code,
              message: `The check ${check}: ${message}\n${list(ids.map(({ id }) => id))}`,
              check,
              mayBeApproved: true,
            },
          ]
    return [
      ...concern(
        'fewer-tests',
        missing,
        `${count(missing.length, 'test')} of the base did not run:`,
      ),
      ...concern(
        'skipped-tests',
        skipped,
        `${count(skipped.length, 'test')} of the base now skipped:`,
      ),
      ...concern(
        'failed-tests',
        isMet ? failing : [],
        `it passes, but its runner reports ${count(failing.length, 'failed test')}:`,
      ),
    ]
  })
}

function ableToFail({ able = new Map(), compared }: Observations): readonly Concern[] {
  return [...able].flatMap(([check, { unnoticed, unplanted }]): readonly Concern[] => {
    const { redToGreen = [], keptGreen = [] } = compared?.get(check) ?? {}
    const red = new Set(redToGreen.map(({ id }) => id))
    // Tests that do not pass with the work alone are a separate concern.
    const passed = new Set([...red, ...keptGreen.map(({ id }) => id)])
    const lines = [
      ...[...unnoticed].filter(([id]) => passed.has(id)).map(([id, why]) => `${id}: ${why}`),
      ...[...unplanted].filter(([id]) => red.has(id)).map(([id, why]) => `${id}: ${why}`),
    ]
    if (lines.length === 0) return []
    return [
      {
        code: 'not-able-to-fail',
        message: `The check ${check}: these tests were not shown able to fail. A failure was planted in a copy of each, and the runner must report it:\n${list(lines)}`,
        check,
        mayBeApproved: true,
      },
    ]
  })
}

function commandsAbleToFail({ commands = new Map() }: Observations): readonly Concern[] {
  return [...commands].flatMap(([check, { files, unnoticed, runsWork }]): readonly Concern[] => {
    if (unnoticed.length === 0 || !runsWork) return []
    const what = unnoticed.map((kind) => plantedText[kind]).join(' and with ')
    return [
      {
        code: 'not-able-to-fail',
        message: `The check ${check} reports no tests, and it was not shown able to fail: it passes with ${what} in a copy of these files:\n${list(files)}`,
        check,
        mayBeApproved: true,
      },
    ]
  })
}

const plantedText: Readonly<Record<ProgramFailure, string>> = {
  after: 'a failure planted at the end',
  value: 'another expected value',
}

function mentioned({ mentions = [] }: Observations): readonly Concern[] {
  if (mentions.length === 0) return []
  return [
    {
      code: 'mentions-tests',
      message: `The work mentions the test runner or what tests set. Code that behaves differently under test passes its tests without doing the work:\n${list(mentions)}`,
      mayBeApproved: true,
    },
  ]
}
