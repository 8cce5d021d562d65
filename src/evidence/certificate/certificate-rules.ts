/**
 * The rules for the content of a certificate, independent of its signature. Checked when it is issued and again
 * when it is verified.
 *
 * 1. It rests on something: named checks, or a condition in the loop's own code.
 * 2. Every check that it rests on was run and is met; or it failed on the base as well and may (`allowed`). With
 *    only the work on top of the base (`sealed`) it is also met, unless a person approved the other changes.
 * 3. At least one of the checks that it rests on is met and not flaky.
 * 4. A command that is met exited with 0. A timeout, an error or a skipped check is never a pass.
 * 5. Changes to sealed files were approved, and no consultation has an open concern.
 * 6. Version 2: its strength is what its tests and controls show, and reaches what is required (strength-rules.ts).
 *
 * A person may approve 3, 5 and 6 (`approvals`), and the second sentence of 2. No approval replaces a check that has
 * to be met.
 */

import type { CertificateDraft, CertifiedCheck } from '../../protocol/index.ts'
import { brokenStrengthRules } from './strength-rules.ts'

/** One sentence for each broken rule. */
export function brokenRules(draft: CertificateDraft): readonly string[] {
  const { rests, checks, sealed, consultations } = draft
  const problems: string[] = []
  const approvedCodes = new Set(draft.approvals.flatMap(({ codes }) => codes))
  if (rests.checks.length === 0 && rests.code === undefined) {
    problems.push('It does not rest on any check or condition.')
  }
  const seen = new Set<string>()
  for (const check of checks) {
    const key = `${check.pass} ${check.name}`
    if (seen.has(key)) problems.push(`The check "${check.name}" is listed twice.`)
    seen.add(key)
    if (contradicts(check)) {
      problems.push(
        `The check "${check.name}" is listed as met, but exited with ${check.exitCode}.`,
      )
    }
  }
  const isApproved = sealed.approval !== undefined || approvedCodes.has('sealed-failed')
  for (const name of rests.checks) problems.push(...brokenByCheck(name, checks, isApproved))
  const isFlaky = !rests.checks.some((name) => isReliablyMet(name, checks))
  if (rests.checks.length > 0 && isFlaky && !approvedCodes.has('flaky')) {
    problems.push('No check that it rests on is met and not flaky.')
  }
  const isChanged = sealed.changes.length > 0 && sealed.approval === undefined
  if (isChanged && !approvedCodes.has('sealed-changed')) {
    problems.push('Sealed files changed, and no person approved it.')
  }
  for (const { name, status } of consultations) {
    const isOpen = status !== 'approved' && status !== 'resolved'
    if (isOpen && !approvedCodes.has(toConcernCode(status))) {
      problems.push(`The consultation "${name}" is ${status}.`)
    }
  }
  return [...problems, ...brokenStrengthRules(draft)]
}

/** The code that an approval of it has. */
function toConcernCode(status: CertificateDraft['consultations'][number]['status']): string {
  if (status === 'no-answer') return 'unclear'
  return status === 'rejected' ? 'rejected' : 'concerns'
}

function brokenByCheck(
  name: string,
  checks: readonly CertifiedCheck[],
  isApproved: boolean,
): readonly string[] {
  const named = checks.filter((check) => check.name === name)
  if (!named.some(({ pass }) => pass === 'own')) return [`The check "${name}" was not run.`]
  return named
    .filter((check) => check.status !== 'met' && !mayFail(check))
    .filter(({ pass }) => pass === 'own' || !isApproved)
    .map(({ pass, status }) =>
      pass === 'own'
        ? `The check "${name}" is ${status}.`
        : `The check "${name}" is ${status} with only the work on top of the base.`,
    )
}

const mayFail = (check: CertifiedCheck): boolean =>
  check.status === 'not-met' && check.existing === true && check.allowed === true

const isReliablyMet = (name: string, checks: readonly CertifiedCheck[]): boolean =>
  checks.some(
    (check) =>
      check.name === name &&
      check.pass === 'own' &&
      check.status === 'met' &&
      check.flaky === undefined,
  )

const contradicts = ({ kind, status, exitCode }: CertifiedCheck): boolean =>
  kind === 'command' && status === 'met' && exitCode !== undefined && exitCode !== 0
