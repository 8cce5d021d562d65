/** What checks said of a tree, kept in files of the record. One that cannot be read is made anew. */

import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readSmallFile } from '../../engine/index.ts'
import type { Baseline, Baselines, KnownAnswers } from '../../evidence/index.ts'

const count = z.int().min(0)

const baselineSchema: z.ZodType<Baseline> = z.strictObject({
  status: z.enum(['met', 'not-met', 'error', 'timeout', 'skipped']),
  counts: z.strictObject({ passed: count, failed: count, skipped: count }).exactOptional(),
  signature: z.string(),
  written: z.array(z.string()).max(1000).exactOptional(),
})

const answersSchema = z.array(z.enum(['met', 'not-met', 'error', 'timeout', 'skipped'])).max(100)

export const baselinesFolder = (record: string): string => join(record, 'baselines')

export const answersFolder = (record: string): string => join(record, 'answers')

export const fileBaselines = (record: string): Baselines =>
  keptFiles(baselinesFolder(record), baselineSchema, undefined)

export const fileAnswers = (record: string): KnownAnswers =>
  keptFiles(answersFolder(record), answersSchema, [])

interface KeptFiles<T, None> {
  read(key: string): Promise<T | None>
  write(key: string, value: T): Promise<void>
}

function keptFiles<T, None>(folder: string, schema: z.ZodType<T>, none: None): KeptFiles<T, None> {
  const pathOf = (key: string): string => join(folder, `${key}.json`)
  return {
    async read(key) {
      try {
        return schema.parse(JSON.parse(await readSmallFile(pathOf(key), 64 * 1024)))
      } catch {
        return none
      }
    },
    async write(key, value) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = join(folder, `${key}.${randomUUID()}`)
      await writeFile(temporary, JSON.stringify(value), { mode: 0o600 })
      await rename(temporary, pathOf(key))
    },
  }
}
