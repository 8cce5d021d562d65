/** Temporary folders, with an error message that says what to do if none can be created. */

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'

/** Creates a new folder, by default in the system's temporary folder. */
export async function makeTemporaryFolder(
  prefix: string,
  parent: string = tmpdir(),
): Promise<string> {
  return explainTemporaryFolderErrors(parent, () => mkdtemp(join(parent, prefix)))
}

/** Runs `work`, and explains errors that come from the temporary folder `parent`. */
export async function explainTemporaryFolderErrors<T>(
  parent: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explainFailure(parent, error)
  }
}

const full = new Set(['ENOSPC', 'EDQUOT'])
const missing = new Set(['ENOENT', 'ENOTDIR'])
const denied = new Set(['EACCES', 'EPERM', 'EROFS'])

function explainFailure(parent: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const variable = findVariable(parent)
  const folder = variable === undefined ? parent : `${parent} (set by ${variable})`
  const other = parent === tmpdir() ? 'set TMPDIR to another folder' : 'use another folder'
  const alternative = variable === undefined ? other : `unset ${variable}`
  const fail = (problem: string, remedy: string): LoopError => {
    const message = `The temporary folder ${folder} ${problem}. ${remedy}, or ${alternative}.`
    return new LoopError('store-failed', message, { cause })
  }
  if (missing.has(code)) return fail('does not exist', 'Create it')
  if (full.has(code)) return fail('has no space left', 'Free some space')
  if (denied.has(code)) return fail('is not writable', 'Change its permissions with chmod')
  return cause
}

const variables = ['XDG_RUNTIME_DIR', 'TMPDIR', 'TMP', 'TEMP']

const findVariable = (folder: string): string | undefined =>
  variables.find((name) => process.env[name]?.replace(/(?<=.)\/$/, '') === folder)
