/**
 * Where a path leads, link by link, and whether a link in a certain folder had a say in that. Whoever may
 * write to the folder decides where its links lead: what is reached over one of them was not named by
 * those who named the path.
 */

import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin } from './toolchains.ts'

export interface Way {
  /** Without links. */
  readonly real: string
  /** A link that lies in the folder was followed. */
  readonly isLed: boolean
  readonly stat: Stats
}

/** As many as the kernel follows. */
const linksMax = 40

/** Both absolute, the folder without links. Undefined when it leads to nothing. */
export function wayTo(path: string, folder: string): Way | undefined {
  try {
    return follow(path, folder)
  } catch {
    return undefined
  }
}

function follow(path: string, folder: string): Way | undefined {
  const ahead = partsOf(path)
  let real = '/'
  let stat = lstatSync(real)
  let isLed = false
  let links = 0
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (!stat.isDirectory()) return undefined
    const next = part === '..' ? dirname(real) : join(real, part)
    stat = lstatSync(next)
    if (!stat.isSymbolicLink()) {
      real = next
      continue
    }
    if (++links > linksMax) return undefined
    isLed ||= isWithin(next, folder)
    const target = readlinkSync(next)
    ahead.push(...partsOf(target))
    if (target.startsWith('/')) real = '/'
    stat = lstatSync(real)
  }
  return { real, isLed, stat }
}

/** The next one last. */
const partsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .toReversed()
