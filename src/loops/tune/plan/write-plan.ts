/** Writes a plan as `LOOP_PLAN.md`, in the form that `parsePlan` reads. Pure. */

import { oneLine } from '../report/one-line.ts'
import type { Plan } from './plan.ts'

export const writePlan = (plan: Plan): string =>
  [
    '# Loop plan',
    '## Problem',
    oneLine(plan.problem),
    '## Failure context',
    bullets(plan.failureContext, 'Nothing is known yet.'),
    '## Hypotheses',
    plan.hypotheses
      .map(({ statement, prediction, likelihood, testability, impact }, at) =>
        [
          `${at + 1}. ${oneLine(statement)}`,
          `   - Prediction: ${oneLine(prediction)}`,
          `   - Likelihood: ${likelihood}`,
          `   - Testability: ${testability}`,
          `   - Impact: ${impact}`,
        ].join('\n'),
      )
      .join('\n'),
    '## Experiments',
    plan.experiments
      .map(({ hypothesis, file, section, current, change }, at) =>
        [
          `${at + 1}. Hypothesis ${hypothesis}`,
          `   - File: ${oneLine(file)}`,
          `   - Section: ${oneLine(section)}`,
          `   - Current: ${oneLine(current)}`,
          `   - Change: ${oneLine(change)}`,
        ].join('\n'),
      )
      .join('\n'),
    '## Focus cases',
    bullets(plan.focus, 'None.'),
    '## Regression guards',
    bullets(plan.guards, 'None.'),
    '## Exclusions',
    bullets(
      plan.exclusions.map(({ id, reason }) => `${id}: ${reason}`),
      'None.',
    ),
    '## Success criteria',
    bullets([
      ...(plan.criteria.target === undefined
        ? []
        : [`Target: ${Math.round(plan.criteria.target * 1e4) / 100} %`]),
      `Minimum: ${plan.criteria.minimum}`,
      `Qualitative: ${plan.criteria.qualitative}`,
      ...plan.criteria.exits.map((exit) => `Exit: ${exit}`),
    ]),
    '',
  ].join('\n\n')

const bullets = (items: readonly string[], none = ''): string =>
  items.length === 0 ? none : items.map((item) => `- ${oneLine(item)}`).join('\n')
