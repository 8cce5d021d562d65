/** The checks to certify a folder with, if no loop file names any. */

import { realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLoopFile } from '../../definition/loop-file/index.ts'
import {
  type ConditionCommand,
  conditionNames,
  planCondition,
  proposeChecks,
} from '../../evidence/index.ts'
import { LoopError } from '../../loop/index.ts'
import { folderWithGit } from '../../runs/worktree-options.ts'
import { findProgram } from '../../sandbox/index.ts'
import { requireFolder } from '../../system/index.ts'
import { makePrivateFolder } from '../../workspace/index.ts'
import { folderFiles } from '../checks/folder-reader.ts'
import type { LaunchHost } from '../launch-host.ts'
import { loadFile } from '../load-file.ts'
import type { LoadedLoop } from '../loaded-loop.ts'

/** Loads a loop that consists only of checks: those passed, or the standard ones that can run. */
export async function loadChecks(
  { folder: stateFolder }: Pick<LaunchHost, 'folder'>,
  folder: string,
  checks: Readonly<Record<string, string>>,
): Promise<LoadedLoop> {
  requireFolder(folder)
  const workspace = realpathSync(folder)
  const temporary = await makePrivateFolder()
  try {
    const file = join(temporary.path, 'certify.yaml')
    const loop = {
      name: 'certify',
      prompt: 'none',
      agent: { script: [[{ say: '' }]] },
      workspace,
      checks: Object.keys(checks).length > 0 ? checks : await findStandardChecks(workspace),
    }
    await writeFile(file, JSON.stringify(loop))
    return await loadFile(await readLoopFile(file), { folder: stateFolder })
  } finally {
    await temporary.remove()
  }
}

/** Finds the standard checks that can run without a network, with tools that the project uses. */
async function findStandardChecks(workspace: string): Promise<readonly string[]> {
  const { reader, tree } = folderFiles(workspace)
  const { checks: proposed } = await proposeChecks(reader, tree)
  const isLinted = proposed.some(({ name }) => name.startsWith('lint'))
  const found: string[] = []
  for (const name of conditionNames) {
    const { commands } = await planCondition(reader, tree, name)
    if (commands.length === 0 || commands.some(({ network }) => network)) continue
    if (name === 'linting_clean' && !isLinted) continue
    if (name === 'security_scan_clean' && !commands.every(isInstalled)) continue
    found.push(name)
  }
  if (found.length > 0) return found
  const root = folderWithGit(workspace) ?? workspace
  const hint =
    root === workspace ? '' : ` It is inside the repository ${root}: certify that, or pass a check.`
  const message = `Found no test command in ${workspace}.${hint} Pass the command that must pass: loopctl certify --check 'make test'`
  throw new LoopError('not-configured', message)
}

/** A scanner that is not installed is not a check of the project. */
const isInstalled = ({ argv: [program = ''] }: ConditionCommand): boolean =>
  findProgram(program) !== undefined
