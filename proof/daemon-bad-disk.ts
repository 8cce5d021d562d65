/** Where the disk of the record is full or can only be read: the daemon says so, and does not start. */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loopd } from './daemon-process.ts'

export interface Disks {
  readonly seen: number
  /** Why nothing could be tried on this machine. */
  readonly skipped?: string
  readonly problems: readonly string[]
}

/** A small disk of its own, in a namespace that goes away with the command. */
const cases: readonly (readonly [name: string, prepare: string, words: RegExp])[] = [
  [
    'full',
    'mount -t tmpfs -o size=64k none "$1" && mkdir -m 700 "$1/state" && dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null',
    /full|no space/i,
  ],
  [
    'read-only',
    'mount -t tmpfs -o size=1m none "$1" && mkdir -m 700 "$1/state" && mount -o remount,ro "$1"',
    /read-only|can only be read/i,
  ],
  [
    'full, after it was there before',
    'mount -t tmpfs -o size=128k none "$1" && mkdir -m 700 "$1/state" "$1/state/daemon" && : > "$1/state/daemon/lock.db" && dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null',
    /full|no space/i,
  ],
]

export function tryDisks(): Disks {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  try {
    try {
      execFileSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', folder], { stdio: 'ignore' })
    } catch {
      const skipped = 'no disk can be mounted here (unshare -Urm)'
      return { seen: 0, skipped, problems: [] }
    }
    return { seen: cases.length, problems: cases.flatMap((one) => tryDisk(folder, one)) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function tryDisk(
  folder: string,
  [name, prepare, words]: (typeof cases)[number],
): readonly string[] {
  const shell = `${prepare}\nexec "$2" "$3" --state "$1/state" --port 0`
  const args = ['-Urm', 'sh', '-c', shell, 'sh', folder, process.execPath, loopd]
  const { status, stderr } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 20_000 })
  return [
    ...(status === 74 ? [] : [`${name}: it ended with ${status}`]),
    ...(words.test(stderr) ? [] : [`${name}: it said ${stderr.trim()}`]),
  ]
}
