/**
 * What speaks against certifying, from what was observed. Pure.
 *
 * Some of it is final: a check that fails in a clean checkout has failed. The rest may have honest reasons, so it
 * becomes one question to a person. Messages say what was observed.
 */

import { failure } from './check-failures.ts'
import type { ComparedTests } from './compare-tests.ts'
import type { ProgramFailure } from './plant-in-commands.ts'
import { accessConcerns, reportConcerns } from './report-concerns.ts'
import type { Ran } from './run-checks.ts'
import { type Concern, count, isAside, isGood, list, type Seen } from './seen.ts'

/** Failed checks alone, if there are any: nothing else counts before they pass. */
export function concernsOf(seen: Seen): readonly Concern[] {
  const failed = seen.own.filter((ran) => !isGood(ran)).map((ran) => failure(ran, seen.evidence))
  if (failed.length > 0) return failed
  if (!seen.own.some(({ result }) => result.status === 'met')) return [nothingMet]
  return [
    ...flaky(seen.own),
    ...judgeAlone(seen),
    ...changed(seen),
    ...withoutWork(seen),
    ...testConcerns(seen),
    ...ableToFail(seen),
    ...commandsAbleToFail(seen),
    ...reportConcerns(seen),
    ...accessConcerns(seen),
    ...mentioned(seen),
  ]
}

const nothingMet: Concern = {
  code: 'no-checks',
  message: 'No check passed. Name one under checks: that can tell whether the work is done.',
  mayBeApproved: false,
}

/** A flaky check needs a stable one beside it. */
function flaky(own: readonly Ran[]): readonly Concern[] {
  const met = own.filter(({ result }) => result.status === 'met')
  if (met.some(({ result }) => result.flaky !== true)) return []
  return met.map(({ check, answers }) => ({
    code: 'flaky',
    message: `The check ${check.name} gives different results on the same files (${answers.join(', ')}), so it cannot certify alone. Make it stable, or add a stable check.`,
    check: check.name,
    mayBeApproved: false,
  }))
}

function judgeAlone({ own, commandInstead }: Seen): readonly Concern[] {
  const met = own.filter(({ result }) => result.status === 'met')
  if (commandInstead === undefined || met.some(({ check }) => check.kind !== 'judge')) return []
  return [
    {
      code: 'judge-alone',
      message: `Only a judge says that the work is done, but a command could check it: ${commandInstead}. Add it under checks.`,
      mayBeApproved: false,
    },
  ]
}

function changed({ changes = [], alone, approved }: Seen): readonly Concern[] {
  const aside = changes.filter((change) => isAside(change) && approved?.has(change.path) !== true)
  if (aside.length === 0) return []
  const listed = aside.map(({ path, what, why }) => `- ${path} (${what}): ${why}`).join('\n')
  const failed = (alone ?? []).filter((ran) => !isGood(ran))
  if (failed.length === 0) {
    return [
      {
        code: 'sealed-changed',
        message: `Files outside the scope of the work were changed, and checks read them. With these files restored, the checks pass too. Restore them, or approve:\n${listed}`,
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
}: Seen): readonly Concern[] {
  const found: Concern[] = []
  const failed = alone.filter((ran) => !isGood(ran))
  if (failed.length > 0 && !changes.some(isAside)) {
    const names = failed.map(({ check }) => check.name).join(', ')
    const others = changes.filter(
      ({ path, class: kind }) =>
        ['new-test', 'documents'].includes(kind) ||
        (kind === 'not-read' && isProduct?.(path) !== true),
    )
    const listed = list(others.map(({ path }) => path))
    found.push({
      code: 'sealed-failed',
      message: `With only the work put over the base, checks fail: ${names}. The work must pass the tests of the base without these other changes:\n${listed}`,
      mayBeApproved: true,
      printed: failed.map(({ result }) => result.output.trim()).join('\n'),
    })
  }
  const other = controls.find(({ name, held }) => name === 'other-environment' && !held)
  if (other !== undefined) {
    const names = other.ran.filter((ran) => !isGood(ran)).map(({ check }) => check.name)
    const said = names.length === 0 ? 'different tests pass' : `checks fail: ${names.join(', ')}`
    found.push({
      code: 'other-environment',
      message: `In another environment (other paths, variables and file times, a comment added to changed files and tests, and what these tests expect stated once more) ${said}. In the usual environment they pass.`,
      mayBeApproved: true,
      printed: other.ran.map(({ result }) => result.output.trim()).join('\n'),
    })
  }
  const back = controls.find(({ name, held }) => name === 'work-taken-back' && !held)
  if (back !== undefined) {
    const ids = [...(compared?.values() ?? [])].flatMap(({ redToGreen }) => redToGreen)
    const still = ids.filter(({ id }) =>
      back.ran.some(({ observation }) =>
        observation.tests?.some((test) => test.id === id && test.status === 'passed'),
      ),
    )
    found.push({
      code: 'work-not-needed',
      message: `With the work taken back, tests that failed on the base still pass, so another change makes them pass:\n${list(still.map(({ id }) => id))}`,
      mayBeApproved: true,
    })
  }
  return found
}

function testConcerns({ compared = new Map(), own }: Seen): readonly Concern[] {
  return [...compared].flatMap(([check, { missing, skipped, failing }]): readonly Concern[] => {
    const isMet = own.find((ran) => ran.check.name === check)?.result.status === 'met'
    const of = (
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
      ...of('fewer-tests', missing, `${count(missing.length, 'test')} of the base did not run:`),
      ...of('skipped-tests', skipped, `${count(skipped.length, 'test')} of the base now skipped:`),
      ...of(
        'failed-tests',
        isMet ? failing : [],
        `it passes, but its runner reports ${count(failing.length, 'failed test')}:`,
      ),
    ]
  })
}

function ableToFail({ able = new Map(), compared }: Seen): readonly Concern[] {
  return [...able].flatMap(([check, { unnoticed, unplanted }]): readonly Concern[] => {
    const { redToGreen = [], keptGreen = [] } = compared?.get(check) ?? {}
    const red = new Set(redToGreen.map(({ id }) => id))
    // What does not pass with the work alone is a concern of its own.
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

function commandsAbleToFail({ commands = new Map() }: Seen): readonly Concern[] {
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

function mentioned({ mentions = [] }: Seen): readonly Concern[] {
  if (mentions.length === 0) return []
  return [
    {
      code: 'mentions-tests',
      message: `The work mentions the test runner or what tests set. Code that behaves differently under test passes its tests without doing the work:\n${list(mentions)}`,
      mayBeApproved: true,
    },
  ]
}
