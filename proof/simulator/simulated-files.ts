/**
 * A workspace in memory that outlives the processes that work in it. Putting it back happens file by
 * file, so a crash can leave it half done.
 */

import { createHash } from 'node:crypto'
import type { Workspace } from '#src/engine/index.ts'
import { LoopError, type TreeId } from '#src/loop/index.ts'

/** Path to content. */
export type FileMap = ReadonlyMap<string, string>

export interface SimulatedFiles {
  readonly path: string
  /** The tree of the files as they are now. */
  tree(): TreeId
  read(): FileMap
  /** Without content: removes it. */
  write(path: string, content: string | undefined): void
  /** Whether the folder is there. It is again when something is written, or it is restored. */
  readonly exists: boolean
  removeFolder(): void
  makeFolder(): void
}

/** Trees by their hash; several workspaces may share them. */
export type SimulatedTrees = Map<TreeId, FileMap>

export function createSimulatedFiles(path: string, trees: SimulatedTrees): SimulatedFiles {
  const files = new Map<string, string>()
  let known: TreeId | undefined
  let exists = true

  return {
    path,
    get exists() {
      return exists
    },
    makeFolder() {
      exists = true
    },
    removeFolder() {
      exists = false
      known = undefined
      files.clear()
    },
    read: () => files,
    write(name, content) {
      exists = true
      known = undefined
      if (content === undefined) files.delete(name)
      else files.set(name, content)
    },
    tree() {
      if (known !== undefined) return known
      const entries = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))
      const hash = createHash('sha256').update(JSON.stringify(entries)).digest('hex')
      known = hash.slice(0, 16) as TreeId
      if (!trees.has(known)) trees.set(known, new Map(entries))
      return known
    },
  }
}

/** How one process reaches the files: each call takes time, may fail, and may be its last. */
export interface FileAccess {
  /** Resolves after a moment of the process. Throws what the disk says. */
  moment(what: string, code: 'workspace-failed'): Promise<void>
  /** Whether what this process does still counts: see `SimulatedProcess`. */
  mayWrite(): boolean
}

export function workspaceOf(
  files: SimulatedFiles,
  trees: SimulatedTrees,
  access: FileAccess,
): Workspace {
  return {
    path: files.path,
    exists: async () => files.exists,
    async snapshot() {
      await access.moment('snapshot', 'workspace-failed')
      if (!files.exists) throw new LoopError('workspace-failed', 'There is no folder.')
      return files.tree()
    },
    async restore(tree) {
      await access.moment('restore', 'workspace-failed')
      const target = trees.get(tree)
      if (target === undefined) throw new LoopError('workspace-failed', `There is no tree ${tree}.`)
      files.makeFolder()
      const paths = new Set([...files.read().keys(), ...target.keys()])
      for (const path of paths) {
        if (files.read().get(path) === target.get(path)) continue
        if (access.mayWrite()) files.write(path, target.get(path))
        await access.moment('restore a file', 'workspace-failed')
      }
    },
  }
}
