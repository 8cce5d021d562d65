/**
 * The schemas of what `loopctl --json` prints: one for each command, by its full name, and one for
 * errors. A test runs every command and validates its output.
 */

import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../loop/index.ts'
import { catalogOutputs } from './catalog-outputs.ts'
import { certificateOutputs } from './certificate-outputs.ts'
import type { CommandOutput } from './command-output.ts'
import { daemonOutputs } from './daemon-outputs.ts'
import { journalOutputs } from './journal-outputs.ts'
import { machineOutputs } from './machine-outputs.ts'
import { policyOutputs } from './policy-outputs.ts'
import { runOutputs } from './run-outputs.ts'
import { scheduleOutputs } from './schedule-outputs.ts'

export const commandOutputs: Readonly<Record<string, CommandOutput>> = {
  ...runOutputs,
  ...journalOutputs,
  ...certificateOutputs,
  ...machineOutputs,
  ...catalogOutputs,
  ...daemonOutputs,
  ...policyOutputs,
  ...scheduleOutputs,
}

const codes = Object.keys(errorTable) as ErrorCode[]

/** One line on standard error. `bug` is an internal error. */
export const commandErrorSchema: z.ZodType = z.strictObject({
  error: z.looseObject({ code: z.enum([...codes, 'bug']), message: z.string().min(1) }),
})

/** `schemas/cli/keys-rotate.schema.json`; for loopctl without a command, `schemas/cli/loopctl.schema.json`. */
export const commandFileName = (command: string): string =>
  `cli/${command.replaceAll(' ', '-') || 'loopctl'}.schema.json`
