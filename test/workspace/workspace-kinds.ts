/** The kinds of workspaces, and a place for each: what every one of them must do is tested with all. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Workspace } from '../../src/engine/index.ts'
import type { TreeId } from '../../src/loop/index.ts'
import { memoryBlobs } from '../../src/testing/memory-blobs.ts'
import { createDirectoryWorkspace } from '../../src/workspace/index.ts'
import { createGitFixture } from './git-fixture.ts'

export interface ContractPlace {
  readonly path: string
  /** A folder beside it. */
  readonly outside: string
  /** The workspace, by one that knows nothing of what others have seen. */
  open(): Promise<Workspace>
  /** An id that is well formed, and unknown. */
  readonly unknownTree: TreeId
  remove(): Promise<void>
}

export interface WorkspaceKind {
  readonly kind: string
  /** Whether a folder with nothing in it is a part of trees. */
  readonly keepsEmptyFolders: boolean
  makePlace(): Promise<ContractPlace>
}

const directoryKind: WorkspaceKind = {
  kind: 'a directory',
  keepsEmptyFolders: true,
  async makePlace() {
    const folder = await mkdtemp(join(tmpdir(), 'loopwright-contract-'))
    const path = join(folder, 'work')
    await mkdir(path)
    const blobs = memoryBlobs()
    return {
      path,
      outside: folder,
      open: async () => createDirectoryWorkspace({ path, blobs }),
      unknownTree: '0'.repeat(64) as TreeId,
      remove: () => rm(folder, { recursive: true, force: true }),
    }
  },
}

const worktreeKind: WorkspaceKind = {
  kind: 'a worktree',
  keepsEmptyFolders: false,
  async makePlace() {
    const fixture = createGitFixture()
    const worktree = await fixture.create()
    return {
      path: worktree.path,
      outside: fixture.folder,
      open: () => fixture.open(worktree),
      unknownTree: `git:${'1'.repeat(40)}` as TreeId,
      remove: async () => fixture.remove(),
    }
  },
}

export const workspaceKinds: readonly WorkspaceKind[] = [directoryKind, worktreeKind]
