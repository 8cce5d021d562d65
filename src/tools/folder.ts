/**
 * A folder held open, so that what is in it can be reached without walking to it again: a link that
 * somebody puts in its place meanwhile leads nowhere.
 *
 * On Linux names are looked up through the handle. Elsewhere there is no such way for Node; names
 * are looked up by the path, and `verify` says afterwards whether it was still the same folder.
 */

import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { noProtection, type Protection, requireShown } from './protection.ts'
import { ToolError } from './tool.ts'

export interface Folder {
  /** From the workspace, without links; empty for the workspace itself. */
  readonly path: string
  readonly depth: number
  readonly handle: FileHandle
  /** What must be asked before something of this folder is shown or changed. */
  readonly protection: Protection
  /** Where system calls find a name of this folder; without one, the folder itself. */
  at(name?: string): string
  /** Rejects with `changed` when the folder is no longer where it was. */
  verify(): Promise<void>
}

/** How many folders are held open on the way to a file. */
const depthMax = 100
const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

const hasHandlePaths = process.platform === 'linux' && existsSync('/proc/self/fd')

export interface FolderOptions {
  /** Only for tests: as on systems without a way through handles. */
  readonly byPath?: boolean
}

export interface RootOptions extends FolderOptions {
  readonly protection?: Protection
}

/** The root is taken as it is given: whoever configured it may use links. */
export async function openRoot(root: string, options: RootOptions = {}): Promise<Folder> {
  const { protection = noProtection } = options
  const path = await realpath(root)
  requireShown(protection, '')
  return folder({ path: '', depth: 0, protection }, path, await open(path, flags), options)
}

/** Never through a link, and nothing that is hidden. */
export async function openChild(
  parent: Folder,
  name: string,
  options: FolderOptions = {},
): Promise<Folder> {
  const { protection, depth } = parent
  if (depth >= depthMax) {
    throw new ToolError('bad-path', `${parent.path} is nested too deep. Use the run tool there.`)
  }
  const handle = await open(parent.at(name), flags | constants.O_NOFOLLOW)
  const path = pathIn(parent, name)
  try {
    requireShown(protection, path, await handle.stat({ bigint: true }))
  } catch (error) {
    await handle.close()
    throw error
  }
  return folder({ path, depth: depth + 1, protection }, parent.at(name), handle, options)
}

/** From the workspace. */
export const pathIn = ({ path }: Pick<Folder, 'path'>, name: string): string =>
  path === '' ? name : `${path}/${name}`

function folder(
  known: Pick<Folder, 'path' | 'depth' | 'protection'>,
  real: string,
  handle: FileHandle,
  { byPath = !hasHandlePaths }: FolderOptions,
): Folder {
  const base = byPath ? real : `/proc/self/fd/${handle.fd}`
  return {
    ...known,
    handle,
    at: (name) => (name === undefined ? base : `${base}/${name}`),
    async verify() {
      if (!byPath) return
      const [now, held] = await Promise.all([realpath(real), handle.stat()])
      if (now === real && held.nlink > 0) return
      throw new ToolError('changed', `The folder ${known.path} was moved meanwhile. Try again.`)
    },
  }
}
