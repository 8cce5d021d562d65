/** Stores the results of checks on a base in the state folder. An unreadable file counts as missing. */

import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type BaseResult, type BaseResults, runnerNames } from '../../evidence/index.ts'
import { readSmallFile } from '../../system/index.ts'

const path = z.string().max(4096)
const paths = z.array(path).max(1_000_000)

const answerSchema: z.ZodType<BaseResult> = z.strictObject({
  status: z.enum(['met', 'not-met', 'error', 'timeout', 'skipped']),
  signature: z.string(),
  durationMs: z.number().min(0),
  tests: z
    .array(
      z.strictObject({
        id: z.string(),
        file: z.string(),
        titles: z.array(z.string()),
        status: z.enum(['passed', 'failed', 'skipped']),
        message: z.string().exactOptional(),
        body: z.strictObject({ file: z.string(), titles: z.array(z.string()) }).exactOptional(),
      }),
    )
    .exactOptional(),
  runners: z.array(
    z.strictObject({
      name: z.enum(runnerNames),
      exitCode: z.int().exactOptional(),
    }),
  ),
  problems: z.array(z.string()),
  replaced: z.array(z.string()),
  looked: z
    .array(z.strictObject({ by: path, at: path }))
    .max(1_000_000)
    .exactOptional(),
  read: paths.exactOptional(),
  written: paths.exactOptional(),
})

const bytesMax = 64 * 1024 * 1024

/** Earlier versions used the same folder; their files have another format and are ignored. */
export const baseAnswersFolder = (stateFolder: string): string => join(stateFolder, 'baselines')

export function createFileBaseAnswers(stateFolder: string): BaseResults {
  const folder = baseAnswersFolder(stateFolder)
  const toPath = (key: string): string => join(folder, `${key}.json`)
  return {
    async read(key) {
      try {
        return answerSchema.parse(JSON.parse(await readSmallFile(toPath(key), bytesMax)))
      } catch {
        return undefined
      }
    },
    async write(key, answer) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = join(folder, `${key}.${randomUUID()}`)
      await writeFile(temporary, JSON.stringify(answer), { mode: 0o600 })
      await rename(temporary, toPath(key))
    },
  }
}
