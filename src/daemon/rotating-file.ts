/**
 * A rotating log file: at its size limit it becomes `.1`, that one `.2`, and the oldest is deleted. Only its
 * owner can read it. Lines that cannot be written are counted and reported later: a full disk does not
 * stop the daemon.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { toStateFolderError } from '../system/daemon-files.ts'

export interface RotatingFile {
  write(line: string): void
  close(): void
}

export interface RotatingOptions {
  readonly bytesMax: number
  /** Including the current file. */
  readonly filesMax: number
}

export function openRotatingFile(path: string, options: RotatingOptions): RotatingFile {
  let file = openLog(path)
  let size = fstatSync(file).size
  let lost = 0
  const rotate = (): void => {
    shift(path, options.filesMax)
    // The descriptor of a closed file may be reused.
    const next = openLog(path)
    closeSync(file)
    file = next
    size = fstatSync(file).size
  }
  const append = (line: string): void => {
    if (size > 0 && size + Buffer.byteLength(line) > options.bytesMax) rotate()
    size += writeSync(file, line)
  }
  return {
    write(line) {
      try {
        if (lost > 0) append(`${JSON.stringify({ level: 40, msg: `${lost} lines were lost` })}\n`)
        append(line)
        lost = 0
      } catch {
        lost += 1
      }
    },
    close: () => closeSync(file),
  }
}

function openLog(path: string): number {
  try {
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
    const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    fchmodSync(file, 0o600)
    return file
  } catch (cause) {
    throw toStateFolderError(path, cause)
  }
}

function shift(path: string, filesMax: number): void {
  const nameOf = (at: number): string => (at === 0 ? path : `${path}.${at}`)
  for (let at = filesMax - 1; at > 0; at--) {
    try {
      renameSync(nameOf(at - 1), nameOf(at))
    } catch {
      // There are fewer files so far.
    }
  }
}
