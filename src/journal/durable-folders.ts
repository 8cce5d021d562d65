/** Folders whose names outlive a power loss, and the names of files in them too. */

import { dirname } from 'node:path'
import type { Files } from '../engine/index.ts'

export interface DurableFolders {
  /** Makes a folder with what is missing above it. Synced even if another process made it. */
  make(folder: string): Promise<void>
  /** Makes the names in a folder last. */
  sync(folder: string): Promise<void>
  /** The last sync of this folder failed: a name in it may be gone after a power loss. */
  isUnsure(folder: string): boolean
  /** After a failure: takes nothing for granted any more. */
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
