/**
 * What was measured of checks, one small file for each check of each loop, under the folder of the record.
 * A check that is changed in any way is another one: nothing is known of it until it is measured.
 */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type Calibration,
  type CalibrationReport,
  checkDigest,
  type OpenCheck,
} from '../../evidence/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { readSmallFile } from '../../system/index.ts'

const share = z.object({
  count: z.number().int().min(0),
  value: z.number().min(0).max(1),
  low: z.number().min(0).max(1),
  high: z.number().min(0).max(1),
  n: z.number().int().min(0),
})

const stored = z.object({
  version: z.literal(1),
  loop: z.string(),
  check: z.string(),
  digest: z.string(),
  falseAccepts: share,
  falseRejects: share,
  atMs: z.number(),
  tree: z.string().transform((tree) => tree as TreeId),
  seed: z.number(),
})

const bytesMax = 16 * 1024

const folderOf = (record: string): string => join(record, 'calibration')

const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)

/** By what a measurement is found: the check's name in its loop, then what the check is. */
const refOf = (loop: string, check: string, digest: string): string =>
  `${keyOf(loop, check)}-${digest.slice(0, 24)}`

const fileOf = (record: string, ref: string): string => join(folderOf(record), `${ref}.json`)

/** What was known of these checks before is replaced. */
export async function keepCalibration(record: string, report: CalibrationReport): Promise<void> {
  const { loop, tree, seed, atMs } = report
  await mkdir(folderOf(record), { recursive: true, mode: 0o700 })
  for (const { check, digest, falseAccepts, falseRejects } of report.checks) {
    const measured = { loop, check, digest, falseAccepts, falseRejects, atMs, tree, seed }
    const text = `${JSON.stringify({ version: 1, ...measured })}\n`
    await replace(fileOf(record, refOf(loop, check, digest)), text)
  }
}

/** Whole or not at all, also when two do it. */
async function replace(file: string, content: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}`
  try {
    await writeFile(fresh, content, { flag: 'wx', mode: 0o600 })
    await rename(fresh, file)
  } finally {
    await rm(fresh, { force: true })
  }
}

export interface KnownCalibration extends Calibration {
  readonly ref: string
}

/** Whether anything was ever measured of a check by this name: cheap, and mostly no. */
export async function mayBeCalibrated(
  record: string,
  loop: string,
  check: string,
): Promise<boolean> {
  const names = await readdir(folderOf(record)).catch((): readonly string[] => [])
  return names.some((name) => name.startsWith(`${keyOf(loop, check)}-`))
}

/** Undefined: never measured, or the file cannot be read. */
export async function readCalibration(
  record: string,
  loop: string,
  check: Pick<OpenCheck, 'name' | 'kind' | 'describes' | 'toolDigest'>,
): Promise<KnownCalibration | undefined> {
  const digest = checkDigest(check)
  const ref = refOf(loop, check.name, digest)
  try {
    const found = stored.parse(JSON.parse(await readSmallFile(fileOf(record, ref), bytesMax)))
    if (found.loop !== loop || found.digest !== digest) return undefined
    const { falseAccepts, falseRejects, atMs, tree, seed } = found
    return { falseAccepts, falseRejects, atMs, tree, seed, ref }
  } catch {
    // It is told beside a verdict, and no part of it.
    return undefined
  }
}
