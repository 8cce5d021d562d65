/** Failures of the file system, as an agent should read them: by its own path, with what to do. */

import { FaultError } from '../loop/index.ts'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

const known: Readonly<Record<string, readonly [code: string, what: string]>> = {
  ENOENT: ['not-found', 'is not there. Use list or glob to see what there is.'],
  ENOTDIR: ['not-a-folder', 'is no folder, or a part of it is none.'],
  EISDIR: ['not-a-file', 'is a folder. Use list to see what is in it.'],
  ELOOP: ['changed', 'became a link meanwhile. Look again.'],
  EINVAL: ['changed', 'changed meanwhile. Look again.'],
  ENXIO: ['not-a-file', 'is no regular file.'],
  EACCES: ['no-permission', 'may not be used: no permission.'],
  EPERM: ['no-permission', 'may not be used: no permission.'],
  EROFS: ['no-permission', 'is on a read-only disk.'],
  ENAMETOOLONG: ['bad-path', 'is too long. Give a shorter one.'],
  EILSEQ: ['bad-path', 'is no name that this disk can hold.'],
  ENOSPC: ['disk-full', 'cannot be written: the disk is full.'],
  EDQUOT: ['disk-full', 'cannot be written: the disk quota is used up.'],
}

/** Errors of the system name places that only this process knows; they are put in our words. */
export function asToolError(error: unknown, path: string): unknown {
  if (error instanceof ToolError || error instanceof FaultError) return error
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error
  const [code, what] = known[String(error.code)] ?? [
    'tool-failed',
    `failed: ${String(error.code)}.`,
  ]
  return new ToolError(code, `${shown(path)} ${what}`, { cause: error })
}
