/** What checks said of a base, kept in files of the record. One that cannot be read is made anew. */

import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readSmallFile } from '../../engine/index.ts'
import type { Baseline, Baselines } from '../../evidence/index.ts'

const count = z.int().min(0)

const baselineSchema: z.ZodType<Baseline> = z.strictObject({
  status: z.enum(['met', 'not-met', 'error', 'timeout', 'skipped']),
  counts: z.strictObject({ passed: count, failed: count, skipped: count }).exactOptional(),
  signature: z.string(),
  written: z.array(z.string()).max(1000).exactOptional(),
})

export const baselinesFolder = (record: string): string => join(record, 'baselines')

export function fileBaselines(record: string): Baselines {
  const folder = baselinesFolder(record)
  const pathOf = (key: string): string => join(folder, `${key}.json`)
  return {
    async read(key) {
      try {
        const content = await readSmallFile(pathOf(key), 64 * 1024)
        return baselineSchema.parse(JSON.parse(content))
      } catch {
        return undefined
      }
    },
    async write(key, baseline) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = join(folder, `${key}.${randomUUID()}`)
      await writeFile(temporary, JSON.stringify(baseline), { mode: 0o600 })
      await rename(temporary, pathOf(key))
    },
  }
}
