/** Finds the absolute path of a program, so that a program run outside the sandbox is looked up only once. */

import { delimiter, isAbsolute, join } from 'node:path'
import { isExecutableFile } from './program-mounts.ts'

/** Some of these are not in the PATH of ordinary users. */
const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export function findProgram(
  name: string,
  path: string = process.env['PATH'] ?? '',
): string | undefined {
  // System folders first, because the PATH may start with a folder of the project.
  return [...systemFolders, ...path.split(delimiter).filter((folder) => isAbsolute(folder))]
    .map((folder) => join(folder, name))
    .find(isExecutableFile)
}
