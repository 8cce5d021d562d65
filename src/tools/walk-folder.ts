/**
 * Lists a folder, and what is below it, through open handles: no link is followed, so the walk can
 * neither leave the workspace nor loop. Names come in a stable order.
 */

import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { hasErrorCode } from './file-errors.ts'
import { type Folder, openChildFolder, pathIn } from './folder.ts'
import { isHidden } from './protection.ts'

export interface Entry {
  /** The folder it is in, open until the walk continues. */
  readonly folder: Folder
  readonly name: string
  /** Relative to the workspace. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other' | 'hidden'
}

export interface WalkLimits {
  /** Names of folders that are not entered. */
  readonly skip: ReadonlySet<string>
  readonly signal: AbortSignal
  /** Called when something was left out because there is too much. */
  readonly onLimit: () => void
}

/** Of one folder; the rest is left out. */
const namesMax = 20_000
/** Of one walk. */
const entriesMax = 200_000

/** Files and links below a folder, but neither folders nor hidden entries. */
export async function* walkFolder(root: Folder, limits: WalkLimits): AsyncGenerator<Entry> {
  yield* walkBelow(root, limits, { entries: 0 })
}

async function* walkBelow(
  folder: Folder,
  limits: WalkLimits,
  count: { entries: number },
): AsyncGenerator<Entry> {
  for (const entry of await listEntries(folder, limits)) {
    limits.signal.throwIfAborted()
    if (++count.entries > entriesMax) return limits.onLimit()
    if (entry.kind === 'hidden') continue
    if (entry.kind !== 'folder') yield entry
    else if (!limits.skip.has(entry.name)) {
      const child = await openUnlessGone(folder, entry.name)
      if (child === undefined) continue
      try {
        yield* walkBelow(child, limits, count)
      } finally {
        await child.handle.close()
      }
    }
  }
}

export async function listEntries(
  folder: Folder,
  { signal, onLimit }: Omit<WalkLimits, 'skip'>,
): Promise<readonly Entry[]> {
  const found: Entry[] = []
  // Leaving the loop closes it.
  for await (const entry of await opendir(folder.at())) {
    signal.throwIfAborted()
    if (found.length >= namesMax) {
      onLimit()
      break
    }
    const path = pathIn(folder, entry.name)
    const kind = isHidden(folder.protection, path) ? 'hidden' : toKind(entry)
    found.push({ folder, name: entry.name, path, kind })
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Undefined if it is gone, may not be seen, or is no longer a folder. */
async function openUnlessGone(folder: Folder, name: string): Promise<Folder | undefined> {
  try {
    return await openChildFolder(folder, name)
  } catch (error) {
    const codes = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'bad-path', 'hidden']
    if (hasErrorCode(error, ...codes)) return undefined
    throw error
  }
}

function toKind(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
