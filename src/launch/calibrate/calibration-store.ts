/**
 * Stores the calibrations of checks in the state folder, one small file for each check of each loop. A check
 * that changed in any way counts as another check, which has to be measured first.
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

const calibrationFolder = (stateFolder: string): string => join(stateFolder, 'calibration')

const hashKey = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)

/** The reference of a calibration: the name of the check in its loop, then the digest of the check. */
const toRef = (loop: string, check: string, digest: string): string =>
  `${hashKey(loop, check)}-${digest.slice(0, 24)}`

const toPath = (stateFolder: string, ref: string): string =>
  join(calibrationFolder(stateFolder), `${ref}.json`)

/** Replaces earlier calibrations of these checks. */
export async function storeCalibration(
  stateFolder: string,
  report: CalibrationReport,
): Promise<void> {
  const { loop, tree, seed, atMs } = report
  await mkdir(calibrationFolder(stateFolder), { recursive: true, mode: 0o700 })
  for (const { check, digest, falseAccepts, falseRejects } of report.checks) {
    const measured = { loop, check, digest, falseAccepts, falseRejects, atMs, tree, seed }
    const text = `${JSON.stringify({ version: 1, ...measured })}\n`
    await replace(toPath(stateFolder, toRef(loop, check, digest)), text)
  }
}

/** Atomic, also with concurrent writers. */
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

/** Whether a check with this name was ever measured: cheap, and usually false. */
export async function mayBeCalibrated(
  stateFolder: string,
  loop: string,
  check: string,
): Promise<boolean> {
  const names = await readdir(calibrationFolder(stateFolder)).catch((): readonly string[] => [])
  return names.some((name) => name.startsWith(`${hashKey(loop, check)}-`))
}

/** Undefined: never measured, or the file cannot be read. */
export async function readCalibration(
  stateFolder: string,
  loop: string,
  check: Pick<OpenCheck, 'name' | 'kind' | 'command' | 'toolDigest'>,
): Promise<KnownCalibration | undefined> {
  const digest = checkDigest(check)
  const ref = toRef(loop, check.name, digest)
  try {
    const found = stored.parse(JSON.parse(await readSmallFile(toPath(stateFolder, ref), bytesMax)))
    if (found.loop !== loop || found.digest !== digest) return undefined
    const { falseAccepts, falseRejects, atMs, tree, seed } = found
    return { falseAccepts, falseRejects, atMs, tree, seed, ref }
  } catch {
    // Error rates only accompany a verdict, so a failure to read them is ignored.
    return undefined
  }
}
