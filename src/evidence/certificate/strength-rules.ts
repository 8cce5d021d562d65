/**
 * What the strength of a certificate must rest on.
 *
 * 1. It is claimed only with evidence, and reaches the required level unless a person approved what was observed
 *    about the work. Approved dependencies do not count for that.
 * 2. `work-alone`: the base plus only the work was run, and held.
 * 3. `red-to-green`: 2, and at least one test went from red to green and was shown able to fail: by a throw after
 *    its last statement, and by another expected value or a throw before that statement.
 * 4. A named person approved these, if there are any: a control run that did not hold, a red-to-green test that was
 *    not shown able to fail, a check without tests that runs the work and passes with a planted failure, and a
 *    changed file that is sealed or of class other.
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

const dependencyCodes = [
  'dependencies',
  'dependency-source',
  'install-script',
  'resolve-dependencies',
]

/** Approving dependencies does not imply having seen what the checks show. */
const isAboutWork = ({ codes, by }: CertificateDraft['approvals'][number]): boolean =>
  by !== '' && codes.some((code) => !dependencyCodes.includes(code))

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
    // A weaker certificate does not rest on these tests.
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
    .filter(({ class: changeClass }) => changeClass === 'sealed' || changeClass === 'other')
    .filter(({ approved }) => approved !== true || !isNamed)
    .map(({ path }) => `${path} is outside the scope, and no person approved the change.`)
}
