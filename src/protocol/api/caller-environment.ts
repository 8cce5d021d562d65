/** The environment variables that a run inherits from the shell that started it. Kept in memory only. */

import { z } from 'zod'
import { published } from '../values.ts'

export type CallerEnvironment = Readonly<Record<string, string>>

export const callerEnvironmentSchema: z.ZodType<CallerEnvironment> = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z_]\w*$/)
      .max(256),
    z.string().max(131_072),
  )
  .register(published, { id: 'CallerEnvironment' })
