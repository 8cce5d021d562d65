/**
 * Finds programs that run outside the sandbox, by absolute path.
 *
 * The PATH may start with a folder of the project: `npm run` and `npx` put its `node_modules/.bin` first, where a
 * repository or an agent can have put anything. So system folders come first, and programs inside a project are
 * ignored, by their own path and by the path of their symlink target.
 */

import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, sep } from 'node:path'

const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin']

export interface FindOnPathOptions {
  readonly path?: string
  /** Project folders, besides the current folder. */
  readonly projectFolders?: readonly string[]
  /** Keep the order of the PATH. Default: system folders first. */
  readonly keepOrder?: boolean
}

/** All programs with this name, the preferred one first. Ignores relative PATH entries. */
export async function findOnPath(
  name: string,
  {
    path = process.env['PATH'] ?? '',
    projectFolders = [],
    keepOrder = false,
  }: FindOnPathOptions = {},
): Promise<readonly string[]> {
  const projects = await Promise.all([...projectFolders, ...currentFolder()].map(realOrItself))
  const folders = path.split(delimiter).filter((part) => isAbsolute(part))
  const isSystem = (folder: string): boolean => systemFolders.includes(folder)
  if (!keepOrder) folders.sort((one, two) => Number(isSystem(two)) - Number(isSystem(one)))
  const programs: string[] = []
  for (const program of new Set(folders.map((folder) => join(folder, name)))) {
    try {
      await access(program, constants.X_OK)
    } catch {
      continue
    }
    const names = [program, await realOrItself(program)]
    if (!isInsideAny(names, [...projectFolders, ...projects])) programs.push(program)
  }
  return programs
}

/** One of the paths is inside one of the folders, or where npm links the programs of a project. */
export const isInsideAny = (paths: readonly string[], folders: readonly string[]): boolean =>
  paths.some(
    (path) =>
      path.includes('/node_modules/.bin/') ||
      folders.some((folder) => isProject(folder) && path.startsWith(folder + sep)),
  )

const isProject = (folder: string): boolean => folder !== '' && folder !== sep

/** Not the home directory or a parent of it: an attacker who can write there needs no program on the PATH. */
function currentFolder(): readonly string[] {
  const folder = process.cwd()
  const isAboveHome = `${homedir()}/`.startsWith(folder.endsWith(sep) ? folder : folder + sep)
  return isAboveHome ? [] : [folder]
}

const realOrItself = (path: string): Promise<string> => realpath(path).catch(() => path)
