/**
 * What the strength of a certificate has to rest on.
 *
 * 1. It is named only together with what shows it, and reaches what is required, unless a person approved what
 *    was observed about the work. Approved dependencies do not count for that.
 * 2. `work-alone`: the base plus only the work was run, and held.
 * 3. `red-to-green`: 2, and at least one test went from red to green that was shown able to fail: by a throw
 *    after its last statement, and by another expected value or a throw before that statement.
 * 4. A control run that did not hold, a red-to-green test that was not shown able to fail, a check without tests
 *    that runs the work and passes with a planted failure, and a sealed or other file that changed were approved
 *    by a named person.
 */

import {
  type CertificateDraft,
  type Strength,
  strengthLevels,
  type TestEvidence,
} from '../../protocol/index.ts'

export function brokenStrengthRules(draft: CertificateDraft): readonly string[] {
  const { strength } = draft
  return [
    ...(strength === undefined ? [] : brokenByLevel(draft, strength)),
    ...unapprovedDoubts(draft),
    ...unapprovedChanges(draft),
  ]
}

function brokenByLevel(draft: CertificateDraft, { level, required }: Strength): readonly string[] {
  const { controls = [], tests = [], approvals } = draft
  const problems: string[] = []
  const isWeaker = strengthLevels.indexOf(level) < strengthLevels.indexOf(required)
  if (isWeaker && !approvals.some(isAboutWork)) {
    problems.push(`Its strength is ${level}, and ${required} is required.`)
  }
  if (level === 'checks-pass') return problems
  if (!controls.some(({ name, held }) => name === 'base-plus-work' && held)) {
    problems.push(
      `Its strength is ${level}, but the base plus only the work was not shown to pass.`,
    )
  }
  if (level === 'red-to-green' && !tests.some(hasRedToGreen)) {
    problems.push(
      'Its strength is red-to-green, but no test went from red to green and was shown able to fail.',
    )
  }
  return problems
}

const ofDependencies = [
  'dependencies',
  'dependency-source',
  'install-script',
  'resolve-dependencies',
]

/** A person who approves dependencies has not seen what the checks show. */
const isAboutWork = ({ codes, by }: CertificateDraft['approvals'][number]): boolean =>
  by !== '' && codes.some((code) => !ofDependencies.includes(code))

const hasRedToGreen = ({ redToGreen, notShownAbleToFail }: TestEvidence): boolean =>
  redToGreen.some(
    ({ id, ableToFail }) =>
      ableToFail.includes('after') &&
      (ableToFail.includes('value') || ableToFail.includes('before')) &&
      !notShownAbleToFail.includes(id),
  )

function unapprovedDoubts({
  controls = [],
  tests = [],
  commands = [],
  approvals,
  strength,
}: CertificateDraft): readonly string[] {
  if (approvals.some(({ by }) => by !== '')) return []
  return [
    ...controls
      .filter(({ held }) => !held)
      .map(({ name }) => `The control run ${name} did not hold, and no person approved it.`),
    ...commands
      .filter(({ unnoticed, runsWork }) => unnoticed.length > 0 && runsWork)
      .map(
        ({ check }) => `The check ${check} was not shown able to fail, and no person approved it.`,
      ),
    // A weaker certificate does not rest on them.
    ...(strength?.level === 'red-to-green' ? tests : []).flatMap(
      ({ redToGreen, notShownAbleToFail }) => {
        const doubtful = new Set(notShownAbleToFail)
        return redToGreen
          .filter(({ id }) => doubtful.has(id))
          .map(
            ({ id }) => `The test "${id}" was not shown able to fail, and no person approved it.`,
          )
      },
    ),
  ]
}

function unapprovedChanges({ changes = [], approvals }: CertificateDraft): readonly string[] {
  const isNamed = approvals.some(({ by }) => by !== '')
  return changes
    .filter(({ class: of }) => of === 'sealed' || of === 'other')
    .filter(({ approved }) => approved !== true || !isNamed)
    .map(({ path }) => `${path} is outside the scope, and no person approved the change.`)
}
