/** What `init` has to know about a folder: its repository, its stacks, and checks to propose. */

import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  detectStacks,
  type Proposal,
  type ProposedCheck,
  proposeChecks,
  type Stack,
  workspaceOf,
} from '../../evidence/index.ts'
import { defined } from '../../loop/index.ts'
import { folderWithGit } from '../../runs/worktree-options.ts'
import { readSmallFile } from '../../system/index.ts'
import { folderFiles } from '../checks/folder-reader.ts'

export interface InspectedFolder {
  readonly folder: string
  /** The top of the git repository that contains it. */
  readonly repository?: string
  readonly stacks: readonly Stack[]
  readonly checks: readonly ProposedCheck[]
}

export async function inspectFolder(path: string): Promise<InspectedFolder> {
  const { folder, repository } = placeOf(path)
  const { reader, tree } = folderFiles(folder)
  const around = await workspaceAround(folder, repository)
  const { stacks, checks }: Proposal = await proposeChecks(reader, tree, around)
  return { folder, ...defined({ repository }), stacks, checks }
}

/** Without the checks, which take longer in a large repository. */
export async function glanceAtFolder(path: string): Promise<Omit<InspectedFolder, 'checks'>> {
  const { folder, repository } = placeOf(path)
  const { reader, tree } = folderFiles(folder, 1)
  const stacks = await detectStacks(reader, tree)
  return { folder, ...defined({ repository }), stacks }
}

function placeOf(path: string): { readonly folder: string; readonly repository?: string } {
  const folder = realpathSync(path)
  const repository = folderWithGit(folder)
  return { folder, ...defined({ repository }) }
}

const manifestBytesMax = 1024 * 1024

/** The workspace that a package belongs to: the nearest folder above it, within the repository, with a package manager. */
async function workspaceAround(
  folder: string,
  repository: string | undefined,
): Promise<Partial<ReturnType<typeof workspaceOf>>> {
  if (repository === undefined || !existsSync(join(folder, 'package.json'))) return {}
  for (let at = folder; ; at = dirname(at)) {
    const text = await readSmallFile(join(at, 'package.json'), manifestBytesMax).catch(() => '')
    const found = workspaceOf(text, readdirSync(at))
    // A package with its own manager is not part of the workspace around it.
    if (found.manager !== undefined) return at === folder ? {} : found
    if (at === repository) return {}
  }
}
