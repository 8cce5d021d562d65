/**
 * The files that our own output is redirected to: a log in the workspace is not part of the work and must
 * not be restored with it. Known only on systems with /proc.
 */

import { fstatSync, readlinkSync } from 'node:fs'

export function outputFiles(): readonly string[] {
  return [1, 2].flatMap((descriptor) => {
    try {
      return fstatSync(descriptor).isFile() ? [readlinkSync(`/proc/self/fd/${descriptor}`)] : []
    } catch {
      return [] // closed, or a system without /proc
    }
  })
}
