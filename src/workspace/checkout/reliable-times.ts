/**
 * File systems on which every change of a file updates its ctime, even a write through `mmap`, which does not
 * update it on tmpfs.
 */

import { statfsSync } from 'node:fs'

const reliableTypes: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x794c7630, // overlay, whose upper layer is one of these
])

export function hasReliableTimes(folder: string): boolean {
  try {
    return process.platform === 'linux' && reliableTypes.has(statfsSync(folder).type)
  } catch {
    return false
  }
}
