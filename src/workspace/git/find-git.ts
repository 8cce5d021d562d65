/** Finds the git of this machine by absolute path; a program inside a work tree is never used. */

import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { LoopError } from '../../loop/index.ts'
import { findOnPath, isInsideAny } from './find-on-path.ts'

export interface Git {
  readonly program: string
  readonly folder: string
  readonly version: string
}

/** The first version with `merge-tree --write-tree`. */
const oldest = [2, 38] as const

let found: Promise<Git> | undefined

/** Never returns a program inside `projectFolders`, where an agent could have put it. */
export async function findGit(projectFolders: readonly string[] = []): Promise<Git> {
  found ??= search([]).catch((error: unknown) => {
    // It may be installed meanwhile.
    found = undefined
    throw error
  })
  const git = await found
  return isInsideAny([git.program, join(git.folder, 'git')], projectFolders)
    ? search(projectFolders)
    : git
}

async function search(projectFolders: readonly string[]): Promise<Git> {
  const programs = await findOnPath('git', { projectFolders })
  if (programs.length === 0) throw missing('There is no git on PATH outside the project.')
  const versions: string[] = []
  for (const program of programs) {
    const call = { cwd: '/', env: { LC_ALL: 'C' }, timeout: 10_000 }
    // A placeholder for an uninstalled git prints nothing.
    const { stdout } = await promisify(execFile)(program, ['--version'], call).catch(() => silent)
    const [, version = '', major = '0', minor = '0'] =
      /^git version ((\d+)\.(\d+)\S*)/.exec(stdout) ?? []
    const isNewEnough =
      Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1])
    if (isNewEnough) return { program, folder: dirname(await realpath(program)), version }
    versions.push(version === '' ? 'of an unknown version' : version)
  }
  throw missing(`git is ${versions.join(', ')}.`)
}

const silent = { stdout: '' }

const missing = (problem: string): LoopError =>
  new LoopError('not-available', `${problem} Worktrees need git ${oldest.join('.')} or newer.`)
