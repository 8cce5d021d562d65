/** The git of this machine, by its full path: nothing that lies in a work tree is taken for it. */

import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { LoopError } from '../../loop/index.ts'
import { findOnPath, isAmong } from './find-on-path.ts'

export interface Git {
  readonly program: string
  readonly folder: string
  readonly version: string
}

/** `merge-tree --write-tree` came with it. */
const oldest = [2, 38] as const

let found: Promise<Git> | undefined

/** Never one that lies in one of the folders that are named: whoever works there could have put it there. */
export async function findGit(apart: readonly string[] = []): Promise<Git> {
  found ??= look([]).catch((error: unknown) => {
    // Somebody may install it meanwhile.
    found = undefined
    throw error
  })
  const git = await found
  return isAmong([git.program, join(git.folder, 'git')], apart) ? look(apart) : git
}

async function look(apart: readonly string[]): Promise<Git> {
  const programs = await findOnPath('git', { apart })
  if (programs.length === 0) throw missing('There is no git on PATH outside of the project.')
  const versions: string[] = []
  for (const program of programs) {
    const call = { cwd: '/', env: { LC_ALL: 'C' }, timeout: 10_000 }
    // One that only stands in for what was never installed says nothing.
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

const missing = (what: string): LoopError =>
  new LoopError('not-available', `${what} Worktrees need git ${oldest.join('.')} or newer.`)
