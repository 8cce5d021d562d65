/** Reads the files of a folder to find what the user must approve before its dependencies can be installed. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DependencyItem } from '../../evidence/index.ts'
import type { CertifySettings } from '../../protocol/index.ts'
import { folderWithGit, installedFolders } from '../../runs/worktree-options.ts'
import { folderFiles } from '../checks/folder-reader.ts'
import { listNeededApprovals } from '../dependencies/choose-layers.ts'
import { planLayer } from '../dependencies/plan-layer.ts'
import { findUnresolvedProject } from '../dependencies/resolve-lockfile.ts'

export interface MissingDependencies {
  /** Packages from git or from URLs that are not approved yet. */
  readonly sources: readonly DependencyItem[]
  /** What would be installed, if there is no lockfile and nothing is installed. */
  readonly unresolved?: string
}

export async function findMissingDependencies(
  workspace: string,
  mode: CertifySettings['dependencies'],
  stateFolder: string,
): Promise<MissingDependencies> {
  if (mode !== 'install') return { sources: [] }
  const top = folderWithGit(workspace) ?? workspace
  const { reader, tree } = folderFiles(top)
  const needed = await listNeededApprovals({ reader, lockfileTree: tree, mode, stateFolder })
  const sources = needed.filter(({ approved }) => approved === undefined)
  const isInstalled = installedFolders.some((name) => existsSync(join(top, name)))
  if (isInstalled || (await planLayer(reader, tree)).length > 0) return { sources }
  const unresolved = await findUnresolvedProject(reader, tree)
  return { sources, ...(unresolved === undefined ? {} : { unresolved: unresolved.item.text }) }
}
