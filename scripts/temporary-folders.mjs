// Temporary folders for a program that may be interrupted before it removes its own.

import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInOurPlace } from './child.mjs'

/** Runs a Node program whose temporary folders are inside of ours, which are removed however it ends. */
export async function runInTemporaryFolders(args) {
  const parents = { TMPDIR: tmpdir(), LOOPWRIGHT_FAST_FOLDER: '/dev/shm' }
  const made = Object.entries(parents)
    .filter(([, parent]) => existsSync(parent))
    .map(([name, parent]) => [name, mkdtempSync(join(parent, 'lw-proof-'))])
  // Some proofs run as another user.
  for (const [, folder] of made) chmodSync(folder, 0o1777)
  try {
    const env = { ...process.env, ...Object.fromEntries(made) }
    return await runInOurPlace(args, { env, withAll: true })
  } finally {
    for (const [, folder] of made) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    }
  }
}
