/** Where proofs work that are about what is written, and not about whether a disk keeps it. */

import { accessSync, constants, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `npm run proof` sets it, and removes what is left there. */
const memory = process.env['LOOPWRIGHT_FAST_FOLDER'] ?? '/dev/shm'

export function makeFastFolder(name: string): string {
  return mkdtempSync(join(isUsable(memory) ? memory : tmpdir(), `loopwright-${name}-`))
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
