/** Copies a folder with the system's `cp`, which takes a tenth of the time that Node needs for many small files. */

import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { runProgram } from '../git/run-program.ts'

export interface FolderSize {
  readonly files: number
  readonly bytes: number
}

const entriesPerTurn = 256
const copyMsMax = 600_000

/** Undefined: it has more than files, folders and links, or is larger than `max`. */
export async function measureFolder(
  folder: string,
  max: FolderSize,
): Promise<FolderSize | undefined> {
  const queue = [folder]
  let [files, bytes] = [0, 0]
  for (const path of queue) {
    files += 1
    if (files % entriesPerTurn === 0) await setImmediate()
    const seen = lstatSync(path)
    bytes += seen.size
    if (files > max.files || bytes > max.bytes) return undefined
    if (seen.isDirectory()) queue.push(...readdirSync(path).map((name) => join(path, name)))
    else if (!seen.isFile() && !seen.isSymbolicLink()) return undefined
  }
  return { files, bytes }
}

/** Links stay links. False: it could not be copied this way, and `to` may have a part of it. */
export async function copyFolder(from: string, to: string): Promise<boolean> {
  const program = ['/bin/cp', '/usr/bin/cp'].find((one) => existsSync(one))
  if (program === undefined || process.platform !== 'linux') return false
  const args = ['-RP', '--preserve=mode', '--reflink=auto', '--no-target-directory', '--', from, to]
  const env = { LC_ALL: 'C', PATH: '/usr/bin:/bin' }
  return runProgram({ name: 'cp', program, args, env }, { timeoutMs: copyMsMax }).then(
    () => true,
    () => false,
  )
}
