/**
 * What `loopctl --json` prints: a schema for each command, by its whole name, and one for errors. A test runs
 * every command there is and holds what it prints against these.
 */

import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../loop/index.ts'
import { certificateOutputs } from './certificate-outputs.ts'
import type { CommandOutput } from './command-output.ts'
import { daemonOutputs } from './daemon-outputs.ts'
import { machineOutputs } from './machine-outputs.ts'
import { recordOutputs } from './record-outputs.ts'
import { runOutputs } from './run-outputs.ts'

export const commandOutputs: Readonly<Record<string, CommandOutput>> = {
  ...runOutputs,
  ...recordOutputs,
  ...certificateOutputs,
  ...machineOutputs,
  ...daemonOutputs,
}

const codes = Object.keys(errorTable) as ErrorCode[]

/** On standard error, as one line. `bug` is no answer to anything that was asked. */
export const commandErrorSchema: z.ZodType = z.strictObject({
  error: z.looseObject({ code: z.enum([...codes, 'bug']), message: z.string().min(1) }),
})

/** `schemas/cli/keys-rotate.schema.json`; of loopctl without a command `schemas/cli/loopctl.schema.json`. */
export const commandFileName = (command: string): string =>
  `cli/${command.replaceAll(' ', '-') || 'loopctl'}.schema.json`
