/** The kinds of workspaces, with a fixture for each, for contract tests that run against all of them. */

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
  /** A new workspace object without a cache. */
  open(): Promise<Workspace>
  /** A valid but unknown id. */
  readonly unknownTree: TreeId
  remove(): Promise<void>
}

export interface WorkspaceKind {
  readonly kind: string
  /** Whether trees contain empty folders. */
  readonly keepsEmptyFolders: boolean
  createFixture(): Promise<ContractPlace>
}

const directoryKind: WorkspaceKind = {
  kind: 'a directory',
  keepsEmptyFolders: true,
  async createFixture() {
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
  async createFixture() {
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
