/** Folders whose names survive a power loss, including the names of files in them. */

import { dirname } from 'node:path'
import type { Files } from '../engine/index.ts'

export interface DurableFolders {
  /** Creates a folder and its parents. Synced even if another process created it. */
  make(folder: string): Promise<void>
  /** Makes the names in a folder durable. */
  sync(folder: string): Promise<void>
  /** Whether the last sync of this folder failed, so that a power loss may remove a name in it. */
  isUnsure(folder: string): boolean
  /** After a failure: forgets which folders were synced. */
  forget(): void
}

export function createDurableFolders(files: Files): DurableFolders {
  const made = new Set<string>()
  const unsure = new Set<string>()

  async function make(folder: string): Promise<void> {
    if (made.has(folder)) return
    const firstMade = await files.mkdir(folder, { recursive: true, mode: 0o700 })
    const top = dirname(firstMade ?? folder)
    let parent = dirname(folder)
    await sync(parent)
    while (parent !== top) {
      parent = dirname(parent)
      await sync(parent)
    }
    made.add(folder)
  }

  async function sync(folder: string): Promise<void> {
    const handle = await files.open(folder, 'r')
    try {
      await handle.sync()
      unsure.delete(folder)
    } catch (error) {
      unsure.add(folder)
      throw error
    } finally {
      await handle.close()
    }
  }

  return { make, sync, isUnsure: (folder) => unsure.has(folder), forget: () => made.clear() }
}
