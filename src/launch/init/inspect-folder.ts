/** Finds what `init` needs to know about a folder: its repository, its stacks, and checks to propose. */

import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  detectStacks,
  type Proposal,
  type ProposedCheck,
  proposeChecks,
  readNodeWorkspace,
  type Stack,
} from '../../evidence/index.ts'
import { defined } from '../../loop/index.ts'
import { folderWithGit } from '../../runs/worktree-options.ts'
import { readSmallFile } from '../../system/index.ts'
import { folderFiles } from '../checks/folder-reader.ts'

export interface InspectedFolder {
  readonly folder: string
  /** The root of the git repository that contains it. */
  readonly repository?: string
  readonly stacks: readonly Stack[]
  readonly checks: readonly ProposedCheck[]
}

export async function inspectFolder(path: string): Promise<InspectedFolder> {
  const { folder, repository } = locateFolder(path)
  const { reader, tree } = folderFiles(folder)
  const parentWorkspace = await findWorkspace(folder, repository)
  const { stacks, checks }: Proposal = await proposeChecks(reader, tree, parentWorkspace)
  return { folder, ...defined({ repository }), stacks, checks }
}

/** Without the checks, which take longer in a large repository. */
export async function inspectFolderQuickly(path: string): Promise<Omit<InspectedFolder, 'checks'>> {
  const { folder, repository } = locateFolder(path)
  const { reader, tree } = folderFiles(folder, 1)
  const stacks = await detectStacks(reader, tree)
  return { folder, ...defined({ repository }), stacks }
}

function locateFolder(path: string): { readonly folder: string; readonly repository?: string } {
  const folder = realpathSync(path)
  const repository = folderWithGit(folder)
  return { folder, ...defined({ repository }) }
}

const manifestBytesMax = 1024 * 1024

/** Finds the workspace of a package: the nearest parent folder in the repository with a package manager. */
async function findWorkspace(
  folder: string,
  repository: string | undefined,
): Promise<Partial<ReturnType<typeof readNodeWorkspace>>> {
  if (repository === undefined || !existsSync(join(folder, 'package.json'))) return {}
  for (let at = folder; ; at = dirname(at)) {
    const text = await readSmallFile(join(at, 'package.json'), manifestBytesMax).catch(() => '')
    const found = readNodeWorkspace(text, readdirSync(at))
    // A package with its own manager is not part of the parent workspace.
    if (found.manager !== undefined) return at === folder ? {} : found
    if (at === repository) return {}
  }
}
