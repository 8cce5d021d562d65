/** The schema of the conditions under `until`. */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { isJsonObject } from '../values.ts'
import { unknownName } from './issue-problems.ts'
import type { FileCondition } from './loop-file.ts'
import {
  describedKeys,
  dollars,
  duration,
  expects,
  integer,
  key,
  keys,
  list,
  moment,
  text,
} from './value-schemas.ts'

const conditionTypes = [
  'checks-pass',
  'max-iterations',
  'no-progress',
  'same-error',
  'deadline',
  'budget',
  'any',
  'all',
] as const

type ConditionType = (typeof conditionTypes)[number]

const type = <T extends ConditionType>(name: T, description: string) =>
  key(z.literal(name), description)

const spendingMax = 1_000_000_000_000

const several = <T extends 'any' | 'all'>(name: T, description: string) =>
  keys({
    type: type(name, description),
    of: key(
      list(
        z.lazy(() => conditionSchema),
        'a list of conditions',
        { min: 1, max: 20 },
      ),
      'The conditions, at least one.',
    ),
  })

const budget = keys({
  type: type('budget', 'An amount was spent. The run ends as exhausted.'),
  tokens: key(integer(1, spendingMax).exactOptional(), 'Tokens, in and out.', 100_000),
  cost: key(dollars().exactOptional(), 'Dollars.', 0.5),
  time: key(duration(365).exactOptional(), 'Working time.', '1h'),
})

function wrongType({ input }: { readonly input?: unknown }): string {
  const written = isJsonObject(input) ? input['type'] : undefined
  if (typeof written === 'string') return unknownName('condition', written, conditionTypes)
  return expects('a condition, such as { type: checks-pass }')({ input })
}

/** Discriminated by `type`: every condition that the library has, except `custom`, which is code. */
export const conditionSchema: z.ZodType<FileCondition> = z
  .discriminatedUnion(
    'type',
    [
      keys({
        type: type(
          'checks-pass',
          'The checks pass on the current files. The run ends as completed.',
        ),
        checks: key(
          list(text(200), 'a list of check names', { min: 1, max: 50 }).exactOptional(),
          'Only these checks. Default: all checks of the file.',
          ['test'],
        ),
      }),
      keys({
        type: type('max-iterations', 'A number of iterations is done. The run ends as exhausted.'),
        iterations: key(integer(1, 1_000_000), 'How many.', 10),
      }),
      keys({
        type: type(
          'no-progress',
          'Neither files nor progress changed for a number of iterations. The run ends as stuck.',
        ),
        iterations: key(integer(1, 1_000_000).prefault(3), 'How many.', 3),
      }),
      keys({
        type: type(
          'same-error',
          'The same error occurred a number of times in a row. The run ends as stuck.',
        ),
        times: key(integer(1, 1_000_000).prefault(3), 'How many.', 3),
      }),
      keys({
        type: type('deadline', 'A point in time has passed. The run ends as exhausted.'),
        at: key(moment(), 'The time, with its time zone.', '2027-01-01T00:00:00Z'),
      }),
      budget,
      several(
        'any',
        'At least one of several conditions is met; the first one that is decides how the run ends.',
      ),
      several(
        'all',
        'All of several conditions are met; the run ends as completed if one of them is a success.',
      ),
    ],
    { error: wrongType },
  )
  .transform((condition): FileCondition => {
    if (condition.type === 'deadline') return { type: 'deadline', atMs: condition.at }
    if (condition.type !== 'budget') return condition
    const { cost, time, ...rest } = condition
    return {
      ...rest,
      ...defined({ costMicros: cost, timeMs: time }),
    }
  })

describedKeys.add(conditionSchema, { id: 'Condition', description: 'When the run ends.' })
