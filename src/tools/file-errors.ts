/** File system errors as an agent should read them: with its own path and what to do. */

import { FaultError } from '../loop/index.ts'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

export const hasErrorCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

const errors: Readonly<Record<string, readonly [code: string, what: string]>> = {
  ENOENT: ['not-found', 'is not there. Use list or glob to see what there is.'],
  ENOTDIR: ['not-a-folder', 'is not a folder, or part of the path is not one.'],
  EISDIR: ['not-a-file', 'is a folder. Use list to see what is in it.'],
  ELOOP: ['changed', 'was replaced by a link in the meantime. Try again.'],
  EINVAL: ['changed', 'changed in the meantime. Try again.'],
  ENXIO: ['not-a-file', 'is not a regular file.'],
  EACCES: ['no-permission', 'cannot be accessed: permission denied.'],
  EPERM: ['no-permission', 'cannot be accessed: permission denied.'],
  EROFS: ['no-permission', 'is on a read-only disk.'],
  ENAMETOOLONG: ['bad-path', 'is too long. Use a shorter one.'],
  EILSEQ: ['bad-path', 'is not a valid name on this disk.'],
  ENOSPC: ['disk-full', 'cannot be written: the disk is full.'],
  EDQUOT: ['disk-full', 'cannot be written: the disk quota is used up.'],
}

/** System errors name paths that only this process knows, so they are reworded. */
export function asToolError(error: unknown, path: string): unknown {
  if (error instanceof ToolError || error instanceof FaultError) return error
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error
  const [code, what] = errors[String(error.code)] ?? [
    'tool-failed',
    `failed: ${String(error.code)}.`,
  ]
  return new ToolError(code, `${shown(path)} ${what}`, { cause: error })
}
