/** The statuses of runs. */

import { z } from 'zod'
import { type RunStatus, runStatuses } from '../../loop/index.ts'

export const runStatusSchema: z.ZodType<RunStatus> = z.enum(runStatuses)
