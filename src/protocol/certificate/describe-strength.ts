/** Describes the strength of a certificate in sentences for a human reader. */

import type { Certificate } from './certificate.ts'
import type {
  CommandEvidence,
  ControlRun,
  StrengthLevel,
  TestEvidence,
} from './certificate-strength.ts'
import { type ChangeClass, changeClasses } from './change-class.ts'

const levels: Readonly<Record<StrengthLevel, string>> = {
  'checks-pass': 'the checks pass on these files',
  'work-alone': 'the checks pass through the work alone',
  'red-to-green': 'tests that failed before pass through the work alone',
}

/** One line; undefined for version 1, which records no strength. */
export function describeLevel({ strength }: Pick<Certificate, 'strength'>): string | undefined {
  if (strength === undefined) return undefined
  const { level, required } = strength
  const shortfall = level === required ? '' : `; required: ${required}`
  return `${level} (${levels[level]}${shortfall})`
}

/** What the strength rests on: tests, control runs, changes. Empty: only on its checks. */
export function describeStrength(certificate: Certificate): readonly string[] {
  const { strength, tests = [], commands = [], controls = [] } = certificate
  const statements = strength?.statements ?? []
  if (statements.length > 0) return [...statements, ...describeChanges(certificate)]
  return [
    ...tests.map(describeTests),
    ...commands.map(describeCommand),
    ...controls.map(describeControl),
    ...describeChanges(certificate),
    ...describeObserved(certificate),
  ]
}

function describeTests(evidence: TestEvidence): string {
  const { check, redToGreen, keptGreen, added, addedRedWithoutWork, skipped } = evidence
  const parts = [
    ...(redToGreen.length === 0 ? [] : [describeRedToGreen(evidence)]),
    `${keptGreen} stayed green`,
    ...(added === 0
      ? []
      : [`${added} added, of which ${addedRedWithoutWork} fail without the work`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ]
  return `${check}: ${parts.join('; ')}.`
}

function describeRedToGreen({ redToGreen, notShownAbleToFail }: TestEvidence): string {
  const doubtful = new Set(notShownAbleToFail)
  const shown = redToGreen.filter(({ id }) => !doubtful.has(id)).length
  const went = `${countText(redToGreen.length, 'test')} went from red to green`
  if (shown === redToGreen.length) {
    return `${went}, ${shown === 1 ? 'shown' : 'each shown'} able to fail`
  }
  return `${went}, ${shown} of them shown able to fail`
}

function describeCommand({ check, files, unnoticed, runsWork }: CommandEvidence): string {
  if (files.length === 0) return `${check} reports no tests, and no failure could be planted in it.`
  const where = files.length === 1 ? (files[0] ?? '') : countText(files.length, 'file')
  if (unnoticed.length === 0)
    return `${check} reports no tests; failures planted in ${where} made it fail.`
  return runsWork
    ? `${check} reports no tests, and passes with a failure planted in ${where}.`
    : `${check} reports no tests, and does not run the code of the work.`
}

const expected: Readonly<Record<ControlRun['name'], readonly [held: string, not: string]>> = {
  'base-plus-work': [
    'On the base plus only the work, the checks pass.',
    'On the base plus only the work, the checks do not pass.',
  ],
  'work-taken-back': [
    'With the work reverted, the tests that were red are red again.',
    'With the work reverted, tests that were red stay green.',
  ],
  'other-environment': [
    'In another environment, the checks give the same results.',
    'In another environment, the checks give different results.',
  ],
}

const describeControl = ({ name, held }: ControlRun): string => expected[name][held ? 0 : 1]

const classNames: Readonly<Record<ChangeClass, string>> = {
  work: 'of the work',
  'new-test': 'with new tests',
  'not-read': 'that no check read',
  documents: 'of documentation',
  'free-keys': 'with keys that nothing runs',
  dependencies: 'of dependencies',
  sealed: 'that are sealed',
  other: 'outside the scope',
}

function describeChanges(certificate: Certificate): readonly string[] {
  const { changes, changesNotListed = 0, approvals } = certificate
  if (changes === undefined || changes.length === 0) return []
  const by = [...new Set(approvals.map((approval) => approval.by))].join(', ')
  const parts = changeClasses.flatMap((of) => {
    const found = changes.filter((change) => change.class === of)
    if (found.length === 0) return []
    const isApproved = by !== '' && found.every(({ approved }) => approved === true)
    return [
      `${countText(found.length, 'file')} ${classNames[of]}${isApproved ? ` (approved by ${by})` : ''}`,
    ]
  })
  const more = changesNotListed === 0 ? [] : [`${changesNotListed} more that are not listed`]
  return [`Changed: ${[...parts, ...more].join(', ')}.`]
}

function describeObserved({ observed }: Certificate): readonly string[] {
  if (observed === undefined) return []
  return [
    ...(observed.reads === 'none' ? ['Which files the checks read could not be observed.'] : []),
    ...(observed.writes === 'none' ? ['Which files the checks wrote could not be observed.'] : []),
  ]
}

const countText = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`
