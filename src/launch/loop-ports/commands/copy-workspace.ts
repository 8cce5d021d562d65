/**
 * Copies the files of a workspace for commands that must not change it. Links are copied as links, and no file is shared
 * with the workspace, so nothing that is done to the copy reaches it.
 */

import { constants, type Dirent } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultError, type Signal } from '../../../loop/index.ts'

export interface CopyLimits {
  readonly entriesMax: number
  readonly bytesMax: number
}

export const copyLimits: CopyLimits = { entriesMax: 200_000, bytesMax: 4 * 1024 ** 3 }

/** `isLeftOut` gets paths relative to the workspace. `.git` is always left out. */
export async function copyWorkspace(
  from: string,
  to: string,
  isLeftOut: (path: string) => boolean,
  { signal, limits = copyLimits }: { readonly signal: Signal; readonly limits?: CopyLimits },
): Promise<void> {
  const folders = ['']
  let entries = 0
  let bytes = 0
  for (const folder of folders) {
    signal.throwIfAborted()
    await mkdir(join(to, folder), { recursive: true, mode: 0o755 })
    for (const entry of await readdir(join(from, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name === '.git' || isLeftOut(path)) continue
      entries += 1
      if (entry.isDirectory()) folders.push(path)
      else bytes += await copyEntry(join(from, path), join(to, path), entry)
      if (entries > limits.entriesMax || bytes > limits.bytesMax) throw tooLarge(limits)
    }
  }
}

/** Sockets and pipes have no content to copy. */
async function copyEntry(from: string, to: string, entry: Dirent): Promise<number> {
  if (entry.isSymbolicLink()) {
    await symlink(await readlink(from), to)
    return 0
  }
  if (!entry.isFile()) return 0
  const { size } = await lstat(from)
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  return size
}

const tooLarge = ({ entriesMax, bytesMax }: CopyLimits): FaultError =>
  new FaultError({
    code: 'workspace-too-large',
    message:
      `The workspace has more than ${entriesMax} files or ${Math.round(bytesMax / 1024 ** 3)} GiB, and commands of the loop ` +
      'work in a copy of it. Leave out what they do not need with exclude in the loop file, or use a smaller workspace.',
    retryable: false,
    fatal: true,
  })
