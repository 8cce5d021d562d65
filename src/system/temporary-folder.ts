/** Folders for what lives no longer than a process. Whoever has no room for them is told what to do. */

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LoopError } from '../loop/index.ts'

/** A new one, in the folder for temporary files unless told. */
export async function makeTemporaryFolder(
  prefix: string,
  parent: string = tmpdir(),
): Promise<string> {
  return inTemporary(parent, () => mkdtemp(join(parent, prefix)))
}

/** Work in a folder for temporary files, with words for what fails there. */
export async function inTemporary<T>(parent: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw temporaryFailure(parent, error)
  }
}

const full = new Set(['ENOSPC', 'EDQUOT'])
const missing = new Set(['ENOENT', 'ENOTDIR'])
const closed = new Set(['EACCES', 'EPERM', 'EROFS'])

function temporaryFailure(parent: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const variable = namedBy(parent)
  const named =
    variable === undefined ? `${parent} is for temporary files` : `${variable} names ${parent}`
  const other = parent === tmpdir() ? 'set TMPDIR to another folder' : 'name another folder'
  const unset = variable === undefined ? other : `unset ${variable}`
  const say = (what: string, todo: string): LoopError =>
    new LoopError('store-failed', `${named}, ${what}: ${todo}.`, { cause })
  if (missing.has(code)) return say('which is not there', `make it, or ${unset}`)
  if (full.has(code)) return say('where no space is left', `free some, or ${unset}`)
  if (closed.has(code)) return say('where we may not write', `allow it (chmod), or ${unset}`)
  return cause
}

const variables = ['XDG_RUNTIME_DIR', 'TMPDIR', 'TMP', 'TEMP']

const namedBy = (folder: string): string | undefined =>
  variables.find((name) => process.env[name]?.replace(/(?<=.)\/$/, '') === folder)
