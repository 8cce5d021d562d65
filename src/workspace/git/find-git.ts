/** The git of this machine, by its full path: nothing that lies in a work tree is taken for it. */

import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { LoopError } from '../../loop/index.ts'

export interface Git {
  readonly program: string
  readonly folder: string
  readonly version: string
}

/** `merge-tree --write-tree` came with it. */
const oldest = [2, 38] as const

let found: Promise<Git> | undefined

export function findGit(): Promise<Git> {
  found ??= look().catch((error: unknown) => {
    // Somebody may install it meanwhile.
    found = undefined
    throw error
  })
  return found
}

/** The first program of that name in a folder of PATH. Parts of PATH that are relative are no places. */
export async function findOnPath(
  name: string,
  path: string = process.env['PATH'] ?? '',
): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((part) => isAbsolute(part))) {
    const program = join(folder, name)
    try {
      await access(program, constants.X_OK)
      return program
    } catch {
      // Not here.
    }
  }
  return undefined
}

async function look(): Promise<Git> {
  const program = await findOnPath('git')
  if (program === undefined) throw missing('There is no git on PATH.')
  const { stdout } = await promisify(execFile)(program, ['--version'], {
    cwd: '/',
    env: { LC_ALL: 'C' },
    timeout: 10_000,
  })
  const [, version = '', major = '0', minor = '0'] =
    /^git version ((\d+)\.(\d+)\S*)/.exec(stdout) ?? []
  const isNewEnough =
    Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1])
  if (!isNewEnough) throw missing(`git is ${version === '' ? 'of an unknown version' : version}.`)
  return { program, folder: dirname(await realpath(program)), version }
}

const missing = (what: string): LoopError =>
  new LoopError('not-available', `${what} Worktrees need git ${oldest.join('.')} or newer.`)
