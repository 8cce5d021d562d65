/**
 * File systems on which no file changes without its time of change: also one that is written through
 * memory (`mmap`), which on those that live in memory shows nowhere.
 */

import { statfsSync } from 'node:fs'

const known: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x794c7630, // overlay, whose upper layer is one of these
])

export function trustsTimes(folder: string): boolean {
  try {
    return process.platform === 'linux' && known.has(statfsSync(folder).type)
  } catch {
    return false
  }
}
