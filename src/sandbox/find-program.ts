/** Where a program is on this machine, by its full path: what runs outside is never looked up twice. */

import { delimiter, isAbsolute, join } from 'node:path'
import { isProgram } from './program-mounts.ts'

/** For programs that are in no ordinary user's PATH. */
const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export function findProgram(
  name: string,
  path: string = process.env['PATH'] ?? '',
): string | undefined {
  // System folders first: the PATH of a project may begin in the project.
  return [...systemFolders, ...path.split(delimiter).filter((folder) => isAbsolute(folder))]
    .map((folder) => join(folder, name))
    .find(isProgram)
}
