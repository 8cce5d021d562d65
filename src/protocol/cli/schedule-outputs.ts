/** What the commands about schedules print. */

import { z } from 'zod'
import { addedScheduleSchema, scheduleSchema } from '../api/schedules.ts'
import { type CommandOutput, lines, one, text } from './command-output.ts'

export const scheduleOutputs: Readonly<Record<string, CommandOutput>> = {
  'schedule add': one('The schedule, and what its runs would lack.', addedScheduleSchema),
  'schedule list': lines('Each schedule.', scheduleSchema),
  'schedule show': one('A schedule, with its newest ticks.', scheduleSchema),
  'schedule pause': lines('The schedule; with --all, each.', scheduleSchema),
  'schedule resume': lines('The schedule; with --all, each.', scheduleSchema),
  'schedule run-now': one('The schedule; `last` is the tick.', scheduleSchema),
  'schedule remove': one('What was removed.', z.strictObject({ removed: text, name: text })),
}
