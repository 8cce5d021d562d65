/** Says where the daemon is: `loopd.pid` from the first, `daemon.json` while it can be reached. */

import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { type DaemonFile, type DaemonPlace, placeFailure } from '../system/daemon-files.ts'

/** What one before it left, that was killed, is not true any more. */
export function writePid(place: DaemonPlace): void {
  rmSync(place.file, { force: true })
  writeWhole(place.pid, `${process.pid}\n`)
}

export function writeDaemonFile(place: DaemonPlace, file: DaemonFile): void {
  writeWhole(place.file, `${JSON.stringify(file, undefined, 2)}\n`)
}

/** From then on nobody is sent there. */
export const removeDaemonFile = ({ file }: DaemonPlace): void => rmSync(file, { force: true })

export const removePid = ({ pid }: DaemonPlace): void => rmSync(pid, { force: true })

/** Whoever reads it sees the old one or the new one. */
function writeWhole(path: string, text: string): void {
  const written = `${path}.new`
  try {
    rmSync(written, { force: true })
    writeFileSync(written, text, { mode: 0o600, flag: 'wx' })
    renameSync(written, path)
  } catch (cause) {
    throw placeFailure(path, cause)
  }
}
