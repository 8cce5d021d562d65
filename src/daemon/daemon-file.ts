/** The files that say where the daemon is: `loopd.pid` from its start, `daemon.json` while it listens. */

import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { type DaemonFile, type DaemonFiles, toStateFolderError } from '../system/daemon-files.ts'

/** Removes what a killed daemon left behind. */
export function writePid(place: DaemonFiles): void {
  rmSync(place.file, { force: true })
  writeWhole(place.pid, `${process.pid}\n`)
}

export function writeDaemonFile(place: DaemonFiles, file: DaemonFile): void {
  writeWhole(place.file, `${JSON.stringify(file, undefined, 2)}\n`)
}

/** From then on clients no longer find it. */
export const removeDaemonFile = ({ file }: DaemonFiles): void => rmSync(file, { force: true })

export const removePid = ({ pid }: DaemonFiles): void => rmSync(pid, { force: true })

/** Atomic: a reader sees the old file or the new one. */
function writeWhole(path: string, text: string): void {
  const written = `${path}.new`
  try {
    rmSync(written, { force: true })
    writeFileSync(written, text, { mode: 0o600, flag: 'wx' })
    renameSync(written, path)
  } catch (cause) {
    throw toStateFolderError(path, cause)
  }
}
