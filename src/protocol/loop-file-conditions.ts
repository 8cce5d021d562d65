/** How the conditions of `until` are written. */

import { z } from 'zod'
import { defined } from '../loop/index.ts'
import type { FileCondition } from './loop-file.ts'
import { unknownName } from './loop-file-issues.ts'
import {
  dollars,
  duration,
  expects,
  key,
  keys,
  list,
  moment,
  text,
  told,
  whole,
} from './loop-file-values.ts'
import { isJsonObject } from './values.ts'

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
  type: type('budget', 'So much was spent. The run ends as exhausted.'),
  tokens: key(whole(1, spendingMax).exactOptional(), 'Tokens, in and out.', 100_000),
  cost: key(dollars().exactOptional(), 'Dollars.', 0.5),
  time: key(duration(365).exactOptional(), 'Time at work.', '1h'),
})

function wrongType({ input }: { readonly input?: unknown }): string {
  const written = isJsonObject(input) ? input['type'] : undefined
  if (typeof written === 'string') return unknownName('condition', written, conditionTypes)
  return expects('a condition, such as { type: checks-pass }')({ input })
}

/** Told apart by `type`; all that the library knows but `custom`, which is code. */
export const conditionSchema: z.ZodType<FileCondition> = z
  .discriminatedUnion(
    'type',
    [
      keys({
        type: type('checks-pass', 'The checks passed on the files as they are now: success.'),
        checks: key(
          list(text(200), 'a list of names of checks', { min: 1, max: 50 }).exactOptional(),
          'Only these checks; all of the file unless told.',
          ['test'],
        ),
      }),
      keys({
        type: type('max-iterations', 'So many iterations were made. The run ends as exhausted.'),
        iterations: key(whole(1, 1_000_000), 'How many.', 10),
      }),
      keys({
        type: type(
          'no-progress',
          'Neither files nor progress changed for so many iterations. The run ends as stuck.',
        ),
        iterations: key(whole(1, 1_000_000).prefault(3), 'How many.', 3),
      }),
      keys({
        type: type('same-error', 'The same error so many times in a row. The run ends as stuck.'),
        times: key(whole(1, 1_000_000).prefault(3), 'How many.', 3),
      }),
      keys({
        type: type('deadline', 'A moment has passed. The run ends as exhausted.'),
        at: key(moment(), 'The moment, with its zone.', '2027-01-01T00:00:00Z'),
      }),
      budget,
      several(
        'any',
        'One of several conditions is met; the first that is decides how the run ends.',
      ),
      several('all', 'All of several conditions are met; a success if one of them is.'),
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

told.add(conditionSchema, { id: 'Condition', description: 'When the run is over.' })
