/**
 * Programs of this machine that are run outside any sandbox, by their full paths.
 *
 * The PATH of a project may begin in the project: `npm run` and `npx` put its `node_modules/.bin` first,
 * where a repository, or an agent, can have put anything. So the folders of the system come first, and what
 * lies in a project is no program, neither by its own path nor by that of what it links to.
 */

import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join, sep } from 'node:path'

const systemFolders = ['/usr/bin', '/bin', '/usr/local/bin']

export interface FindOnPathOptions {
  readonly path?: string
  /** Folders of projects, besides the current one. */
  readonly apart?: readonly string[]
  /** As the person ordered them, who may have several. Else those of the system come first. */
  readonly asOrdered?: boolean
}

/** All of that name, the best first. Parts of PATH that are relative are no places. */
export async function findOnPath(
  name: string,
  { path = process.env['PATH'] ?? '', apart = [], asOrdered = false }: FindOnPathOptions = {},
): Promise<readonly string[]> {
  const projects = await Promise.all([...apart, ...currentFolder()].map(realOrItself))
  const folders = path.split(delimiter).filter((part) => isAbsolute(part))
  const isSystem = (folder: string): boolean => systemFolders.includes(folder)
  if (!asOrdered) folders.sort((one, two) => Number(isSystem(two)) - Number(isSystem(one)))
  const programs: string[] = []
  for (const program of new Set(folders.map((folder) => join(folder, name)))) {
    try {
      await access(program, constants.X_OK)
    } catch {
      continue
    }
    const names = [program, await realOrItself(program)]
    if (!isAmong(names, [...apart, ...projects])) programs.push(program)
  }
  return programs
}

/** One of the paths lies in one of the folders, or where npm links the programs of a project. */
export const isAmong = (paths: readonly string[], folders: readonly string[]): boolean =>
  paths.some(
    (path) =>
      path.includes('/node_modules/.bin/') ||
      folders.some((folder) => isProject(folder) && path.startsWith(folder + sep)),
  )

const isProject = (folder: string): boolean => folder !== '' && folder !== sep

/** Whoever can write into a person's home, or above it, needs no program there to be run. */
function currentFolder(): readonly string[] {
  const folder = process.cwd()
  const isAboveHome = `${homedir()}/`.startsWith(folder.endsWith(sep) ? folder : folder + sep)
  return isAboveHome ? [] : [folder]
}

const realOrItself = (path: string): Promise<string> => realpath(path).catch(() => path)
