/**
 * What a process in the sandbox may report about tests, one JSON object per line. Code of the repository can connect
 * as well, so every line is untrusted.
 */

import { z } from 'zod'
import {
  type RunnerName,
  runnerNames,
  type TestLocation,
  type TestStatus,
} from '../observe/observation.ts'

export const lineCharsMax: number = 64 * 1024
export const messageCharsMax = 300

export type RunnerRecord =
  | HelloRecord
  /** From now on, this process runs tests. */
  | { readonly type: 'runner'; readonly name: RunnerName }
  | TestRecord
  /** Functions that are currently replaced. The last such record of a process counts. */
  | { readonly type: 'replaced'; readonly names: readonly string[] }
  /** Code in the file `by` opened or looked for the file `at`. */
  | { readonly type: 'looked'; readonly by: string; readonly at: string }
  | { readonly type: 'end'; readonly code: number }

export interface HelloRecord {
  readonly type: 'hello'
  readonly pid: number
  readonly thread: number
  readonly argv: readonly string[]
}

/** `declared`: the test exists; its result follows. */
export type TestRecord = TestLocation & { readonly body?: TestLocation | undefined } & (
    | { readonly type: 'declared' }
    | { readonly type: 'test'; readonly status: TestStatus; readonly message?: string | undefined }
  )

const text = z.string().max(4096)
const location = { file: text, titles: z.array(text).min(1).max(64) }
const test = { ...location, body: z.object(location).optional() }

const recordSchema: z.ZodType<RunnerRecord> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    pid: z.number().int().positive(),
    thread: z.number().int().nonnegative(),
    argv: z.array(text).max(16),
  }),
  z.object({ type: z.literal('runner'), name: z.enum(runnerNames) }),
  z.object({ type: z.literal('declared'), ...test }),
  z.object({
    type: z.literal('test'),
    ...test,
    status: z.enum(['passed', 'failed', 'skipped']),
    message: z.string().optional(),
  }),
  z.object({ type: z.literal('replaced'), names: z.array(text).max(1000) }),
  z.object({ type: z.literal('looked'), by: text, at: text }),
  z.object({ type: z.literal('end'), code: z.number().int() }),
])

/** Undefined: it is not a record. */
export function parseRecord(line: string): RunnerRecord | undefined {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return undefined
  }
  return recordSchema.safeParse(json).data
}
