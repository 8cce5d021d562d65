/**
 * Resolves a path symlink by symlink, and reports whether a symlink inside a given folder was followed.
 * Anyone who can write to the folder controls its symlinks, so a target reached through one of them is not
 * what the caller listed.
 */

import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin } from './toolchains.ts'

export interface ResolvedPath {
  readonly real: string
  /** A symlink inside the folder was followed. */
  readonly followedLinkInFolder: boolean
  readonly stat: Stats
}

/** The limit of the kernel. */
const linksMax = 40

/** Both absolute, the folder with symlinks resolved. Undefined if the path does not exist. */
export function resolvePath(path: string, folder: string): ResolvedPath | undefined {
  try {
    return follow(path, folder)
  } catch {
    return undefined
  }
}

function follow(path: string, folder: string): ResolvedPath | undefined {
  const pending = reversedParts(path)
  let real = '/'
  let stat = lstatSync(real)
  let followedLinkInFolder = false
  let links = 0
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (!stat.isDirectory()) return undefined
    const next = part === '..' ? dirname(real) : join(real, part)
    stat = lstatSync(next)
    if (!stat.isSymbolicLink()) {
      real = next
      continue
    }
    if (++links > linksMax) return undefined
    followedLinkInFolder ||= isWithin(next, folder)
    const target = readlinkSync(next)
    pending.push(...reversedParts(target))
    if (target.startsWith('/')) real = '/'
    stat = lstatSync(real)
  }
  return { real, followedLinkInFolder, stat }
}

/** The next part is last, for `pop`. */
const reversedParts = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .toReversed()
