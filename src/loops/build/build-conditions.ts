/**
 * When a build ends: completed once the plan is done and the checks pass; stuck once a phase failed too often, the
 * watchdog gave up, or only blocked tasks are left.
 */

import type { Condition } from '../../loop/index.ts'
import type { BuildProgress, BuildResult } from './build-progress.ts'
import { isComplete, isDone } from './sealed-plan.ts'
import { watchdogSignals } from './watchdog.ts'

export interface FailureLimits {
  readonly review: number
  readonly verification: number
}

type BuildCondition = Condition<BuildProgress, BuildResult>

/** Conditions of a file that mean success also need the plan; the others stay. The type adds its own ends. */
export function buildConditions(
  until: readonly BuildCondition[],
  { review, verification }: FailureLimits,
  isReviewed: boolean,
): readonly BuildCondition[] {
  const successes = until.filter(canComplete)
  const planComplete: BuildCondition = {
    type: 'custom',
    name: 'plan-complete',
    met: ({ plan }) => isComplete(plan, isReviewed),
  }
  const checksPass: BuildCondition = { type: 'checks-pass' }
  const success: BuildCondition =
    successes.length === 0 ? checksPass : { type: 'any', of: successes }
  return [
    { type: 'all', of: [planComplete, success] },
    stuck(
      'review-failures',
      ({ failures }) => failures.review >= review,
      ({ failures }) => `${failures.review} reviews in a row did not pass`,
    ),
    stuck(
      'verification-failures',
      ({ failures }) => failures.verification >= verification,
      ({ failures, notes }) =>
        `${failures.verification} verifications in a row failed: ${notes.map(({ check }) => check).join(', ')}`,
    ),
    stuck(
      'no-plan',
      ({ failures }) => failures.draft >= verification,
      () => 'no plan with tasks was written',
    ),
    ...watchdogSignals.map((signal) =>
      stuck(
        `watchdog_failed:${signal}`,
        ({ watchdog }) => watchdog.failed === signal,
        ({ watchdog }) => `it happened again after ${watchdog.rewrites} rewrites of the prompt`,
      ),
    ),
    stuck('tasks-blocked', hasOnlyBlocked(isReviewed), describeBlocked),
    ...until.filter((one) => !canComplete(one)),
  ]
}

const stuck = (
  name: string,
  met: (progress: BuildProgress) => boolean,
  describe: (progress: BuildProgress) => string,
): BuildCondition => ({ type: 'custom', name, ends: 'stuck', met, describe })

function canComplete(condition: BuildCondition): boolean {
  switch (condition.type) {
    case 'checks-pass':
      return true
    case 'any':
    case 'all':
      return condition.of.some(canComplete)
    case 'custom':
      return (condition.ends ?? 'completed') === 'completed'
    default:
      return false
  }
}

const hasOnlyBlocked =
  (isReviewed: boolean) =>
  ({ plan, blocked }: BuildProgress): boolean => {
    if (plan === undefined || isComplete(plan, isReviewed)) return false
    return plan.tasks.every(
      ({ mark }, index) =>
        isDone({ mark }, isReviewed) ||
        (mark === 'blocked' && blocked.some((one) => one.task === index && one.retried)),
    )
  }

const describeBlocked = ({ plan, blocked }: BuildProgress): string =>
  blocked
    .map(({ task, reason }) => {
      const [line = ''] = reason.split('\n')
      return `task ${task + 1} (${plan?.tasks[task]?.text.slice(0, 100) ?? ''}): ${line.slice(0, 200)}`
    })
    .join('; ')
