/**
 * Assesses how strong a certificate is, as data and as sentences. Pure.
 *
 * `checks-pass`: every check passes on the candidate. `work-alone`: they also pass with only the work on top of the
 * base, in another environment, with every test of the base. `red-to-green`: tests that failed on the base pass
 * because of the work, and each was shown able to fail.
 */

import type { Strength, StrengthLevel } from '../../protocol/index.ts'
import type { ComparedTests } from './compare-tests.ts'
import { count, type Observations } from './observations.ts'

export interface StrengthRequest
  extends Pick<
    Observations,
    'own' | 'alone' | 'changes' | 'controls' | 'compared' | 'able' | 'bases' | 'commands'
  > {
  readonly required: StrengthLevel
  /** Whether the files differ from the base. */
  readonly isChanged: boolean
  /** The codes of concerns, which a person has to approve. */
  readonly concerns: readonly string[]
}

const order: readonly StrengthLevel[] = ['checks-pass', 'work-alone', 'red-to-green']

export const reaches = (level: StrengthLevel, required: StrengthLevel): boolean =>
  order.indexOf(level) >= order.indexOf(required)

/** Concerns about the control runs themselves: approved or not, these did not hold. */
const breakWorkAlone = [
  'sealed-failed',
  'other-environment',
  'work-not-needed',
  'fewer-tests',
  'skipped-tests',
  'failed-tests',
  'no-report',
]
const breakRedToGreen = [
  'not-able-to-fail',
  'report-unreliable',
  'functions-replaced',
  'reads-changed',
]

export function assessStrength(request: StrengthRequest): Strength {
  const { required, isChanged } = request
  if (!isChanged) {
    const statements = ['The files are those of the base. Every check passes on them.']
    return { level: 'checks-pass', required: 'checks-pass', statements }
  }
  if (!request.own.some(({ check }) => check.kind === 'command')) {
    const statements = [
      'Every check passes. None of them is a command, so there was no control run.',
    ]
    return { level: 'checks-pass', required: 'checks-pass', statements }
  }
  return { level: toLevel(request), required, statements: toStatements(request) }
}

function toLevel({ alone, able, compared, concerns, own }: StrengthRequest): StrengthLevel {
  const has = (codes: readonly string[]): boolean => concerns.some((code) => codes.includes(code))
  if (alone === undefined || has(breakWorkAlone)) return 'checks-pass'
  const red = listRedToGreen(compared)
  const isObserved = own.every(
    ({ check, observation }) => check.kind !== 'command' || observation.read !== undefined,
  )
  const areAllShown = red.every(({ id }) => isShownAbleToFail(able, id))
  const isRed = red.length > 0 && areAllShown && isObserved && !has(breakRedToGreen)
  return isRed ? 'red-to-green' : 'work-alone'
}

const listRedToGreen = (compared: StrengthRequest['compared']): ComparedTests['redToGreen'] =>
  [...(compared?.values() ?? [])].flatMap(({ redToGreen }) => redToGreen)

function toStatements(request: StrengthRequest): readonly string[] {
  const { own, alone, bases, able, compared = new Map(), changes = [], controls = [] } = request
  const planted = request.commands
  const all = [...compared.values()]
  const total = (pick: (one: ComparedTests) => readonly unknown[]): number =>
    all.reduce((sum, one) => sum + pick(one).length, 0)
  const red = listRedToGreen(compared)
  const shown = red.filter(({ id }) => isShownAbleToFail(able, id))
  const kept = total(({ keptGreen }) => keptGreen)
  const added = total(({ added: tests }) => tests)
  const failing = own.filter(({ result }) => result.status !== 'met')
  const commands = own.filter(
    (ran) =>
      ran.check.kind === 'command' && !compared.has(ran.check.name) && !failing.includes(ran),
  )
  const fixed = commands.filter(({ check }) => bases.get(check.name)?.status === 'not-met')
  const outside = changes.filter(({ class: kind }) => kind === 'other' || kind === 'sealed')
  const unread = own.some(
    ({ check, observation }) => check.kind === 'command' && observation.read === undefined,
  )
  const held = (name: string): boolean => controls.some((one) => one.name === name && one.held)
  return [
    ...(red.length === 0
      ? ['No test went from red to green.']
      : [
          `${count(red.length, 'test')} went from red to green, ${ableText(shown.length, red.length)}.`,
        ]),
    ...(kept > 0 ? [`${count(kept, 'test')} stayed green.`] : []),
    ...(added > 0 ? [`${count(added, 'test')} added by the work.`] : []),
    ...commands.map((ran) => commandText(ran.check.name, fixed.includes(ran), planted)),
    ...failing.map(
      ({ check }) => `${check.name} fails as it did before the run began, which was allowed.`,
    ),
    ...(alone === undefined ? [] : [aloneText(held('base-plus-work'))]),
    ...(held('other-environment') ? ['It also passes in another environment.'] : []),
    ...(held('work-taken-back')
      ? ['With the work reverted, what failed on the base fails again.']
      : []),
    ...(outside.length > 0
      ? [`${count(outside.length, 'file')} outside the scope of the work changed.`]
      : []),
    ...(unread ? ['Which files the checks read could not be observed on this machine.'] : []),
  ]
}

const isShownAbleToFail = (able: StrengthRequest['able'], id: string): boolean =>
  [...(able?.values() ?? [])].some(
    ({ shown, unnoticed, unplanted }) => shown.has(id) && !unnoticed.has(id) && !unplanted.has(id),
  )

function commandText(
  check: string,
  isFixed: boolean,
  planted: StrengthRequest['commands'],
): string {
  const passes = isFixed
    ? `The command ${check} failed on the base and passes.`
    : `The command ${check} passes.`
  const found = planted?.get(check)
  if (found === undefined) return `${passes} It reports no tests.`
  const { files, unnoticed, runsWork } = found
  if (files.length === 0)
    return `${passes} It reports no tests, and no failure could be planted in it.`
  const where = files.length === 1 ? (files[0] ?? '') : count(files.length, 'file')
  if (unnoticed.length === 0)
    return `${passes} It reports no tests; failures planted in ${where} made it fail.`
  return runsWork
    ? `${passes} It reports no tests, and passes with a failure planted in ${where}.`
    : `${passes} It reports no tests, and does not run the code of the work.`
}

const aloneText = (held: boolean): string =>
  held
    ? 'With only the work on top of the base, the checks pass.'
    : 'With only the work on top of the base, the checks fail.'

function ableText(shown: number, of: number): string {
  if (shown === of) return of === 1 ? 'shown able to fail' : 'each shown able to fail'
  return `${shown} of them shown able to fail`
}
